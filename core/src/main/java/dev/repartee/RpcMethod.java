package dev.repartee;

import dev.repartee.json.Json;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.TypeToken;
import dev.repartee.json.UnknownMembers;
import dev.repartee.json.UnsafeJson;
import dev.repartee.stream.Streaming;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.Attributes;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A method of a {@link Service}: its name, description, parameters and handler. Immutable. */
public final class RpcMethod {
  /**
   * A parameter of a method.
   *
   * @param name the name
   * @param required whether callers must give a value
   * @param variadic whether the parameter consumes all further positional arguments
   * @param schema the JSON Schema (draft-07) of the type
   */
  public record Parameter(String name, boolean required, boolean variadic, Json schema) {
    /** Returns the members of the params as parameters; null if they are not known. */
    static @Nullable List<Parameter> of(WholeParams params) {
      Map<String, Json> members = params.members();
      if (members == null) {
        return null;
      }
      List<Parameter> all = new ArrayList<>();
      members.forEach(
          (name, schema) -> all.add(new Parameter(name, params.requires(name), false, schema)));
      return all;
    }
  }

  /**
   * A handler with Java parameters: it binds them to the params of the call, then runs. Between the
   * two steps a {@link Layer} may see the arguments ({@link Call#arguments}); the handler then runs
   * with the arguments that the layer has seen, so that the params are read once.
   */
  interface BindingHandler extends Handler {
    /**
     * Reads one argument for each Java parameter.
     *
     * @throws RpcException invalid params (-32602) if the params do not fit
     */
    @Nullable Object[] bind(Call call);

    /** Runs with arguments of {@link #bind}. */
    @Nullable Object run(@Nullable Object[] arguments) throws Exception;

    /**
     * Returns the name of an argument in the params of a call; empty if it is the params as a
     * whole, or the call.
     */
    String argumentName(Call call, int index);

    /** Returns whether the params are one object as a whole, with known members. */
    boolean hasMembers();

    @Override
    default @Nullable Object handle(Call call) throws Exception {
      return run(call.argumentsOf(this));
    }
  }

  /** The handler of a lambda with typed params. */
  private record Typed(WholeParams whole, TypedHandler<@Nullable Object, ?> handler)
      implements BindingHandler {
    @Override
    public @Nullable Object[] bind(Call call) {
      return new @Nullable Object[] {whole.read(call.params(), call.unknownParams()), call};
    }

    @Override
    public @Nullable Object run(@Nullable Object[] arguments) throws Exception {
      return handler.handle(arguments[0], (Call) Objects.requireNonNull(arguments[1]));
    }

    @Override
    public String argumentName(Call call, int index) {
      return "";
    }

    @Override
    public boolean hasMembers() {
      return whole.hasMembers();
    }
  }

  /**
   * The part of a method that depends on the registry of types.
   *
   * @param parameters the parameters, or null if the handler accepts any params
   * @param resultType the type that writes the results of the handler
   * @param result the JSON Schema of the result, or null if it is not known
   */
  record Definition(
      @Nullable List<Parameter> parameters,
      ResultType resultType,
      @Nullable Json result,
      Execution execution) {
    /** Defines a method without a declared result type. */
    Definition(@Nullable List<Parameter> parameters, Execution execution, JsonTypes types) {
      this(parameters, ResultType.any(types), null, execution);
    }

    Definition(
        @Nullable List<Parameter> parameters,
        JsonType<@Nullable Object> result,
        Execution execution,
        JsonTypes types) {
      this(parameters, new ResultType(result, types), result.schema(), execution);
    }
  }

  private final String name;
  private final Traits traits;
  private final Definition definition;

  /** Defines the method with a registry; null if its types are fixed or it needs none. */
  private final @Nullable Function<JsonTypes, Definition> redefine;

  /** The treatment of unknown params that the service states, or null for the endpoint's. */
  private final @Nullable UnknownMembers unknownParams;

  // Of the definition. Fields, since each message asks for them.
  private final Execution execution;
  private final @Nullable MethodInvoker invoker;
  private final boolean detached;

  /** Creates a method with fixed types. */
  RpcMethod(String name, Traits traits, Definition definition) {
    this(name, traits, definition, null, traits.unknownParams());
  }

  /**
   * Creates a method that follows the registry of its endpoint; see {@link #in}.
   *
   * @param definition the definition with the standard registry
   */
  RpcMethod(
      String name, Traits traits, Definition definition, Function<JsonTypes, Definition> redefine) {
    this(name, traits, definition, redefine, traits.unknownParams());
  }

  private RpcMethod(
      String name,
      Traits traits,
      Definition definition,
      @Nullable Function<JsonTypes, Definition> redefine,
      @Nullable UnknownMembers unknownParams) {
    this.name = name;
    this.traits = traits;
    this.definition = definition;
    this.redefine = redefine;
    this.unknownParams = unknownParams;
    this.execution = definition.execution();
    this.invoker = execution.invoker();
    this.detached = execution.isDetached();
  }

  /** Creates a method of this library, which may have a reserved name. */
  static RpcMethod builtin(String name, Handler handler) {
    return new RpcMethod(
        name,
        new Traits(Lane.INLINE),
        new Definition(List.of(), new Execution.OfHandler(handler), JsonTypes.standard()));
  }

  /** Creates a method that the reader runs before queued messages, such as cancellation. */
  static RpcMethod immediate(String name, MethodInvoker invoker) {
    return new RpcMethod(
        name,
        new Traits(null),
        new Definition(null, new Execution.Immediate(invoker), JsonTypes.standard()));
  }

  /** Creates the method from which {@link #named} makes the methods of all other names. */
  static RpcMethod others(Lane lane, Handler handler) {
    return new RpcMethod(
        "",
        new Traits(lane),
        new Definition(null, new Execution.OfOthers(handler), JsonTypes.standard()));
  }

  /** Creates the method that the layers see for a name without a method; see {@link Layer}. */
  static RpcMethod unknown(String name, JsonTypes types) {
    return new RpcMethod(
        name, new Traits(null), new Definition(null, new Execution.Unknown(), types));
  }

  /** Returns the method of that name, for {@link Service#other}. */
  RpcMethod named(String name) {
    return new RpcMethod(name, traits, definition, redefine, unknownParams);
  }

  /** Returns the same method with another treatment of unknown params. */
  RpcMethod with(UnknownMembers unknownParams) {
    return new RpcMethod(name, traits, definition, redefine, unknownParams);
  }

  /**
   * Returns this method with types from the registry of an endpoint, unless its types are fixed.
   *
   * @throws IllegalArgumentException if the registry does not support a type
   */
  RpcMethod in(JsonTypes types) {
    return redefine == null
        ? this
        : new RpcMethod(name, traits, redefine.apply(types), redefine, unknownParams);
  }

  /** Returns whether the service has no such method. */
  boolean isUnknown() {
    return execution instanceof Execution.Unknown;
  }

  /** Returns whether this method is in no table; see {@link Service.Builder#others}. */
  boolean isOther() {
    return execution instanceof Execution.OfOthers;
  }

  /**
   * Returns the stream options of a streamed method; null for any other method. The {@link
   * #result} of such a method is the schema of an item.
   */
  public @Nullable Streaming streaming() {
    return traits.streaming();
  }

  /**
   * Returns whether handling a call twice has the same effect as once, as {@link Rpc#idempotent} or
   * {@link Builder#idempotent} declares. A transport that may deliver a message twice runs only
   * such methods twice.
   */
  public boolean isIdempotent() {
    return traits.idempotent();
  }

  /** Returns whether clients send this method as a notification, see {@link Rpc#notification}. */
  boolean isNotification() {
    return traits.notification();
  }

  @Nullable UnknownMembers unknownParams() {
    return unknownParams;
  }

  /**
   * Returns a builder of a method that is implemented by a lambda.
   *
   * @throws IllegalArgumentException if the name starts with {@code rpc.}, which JSON-RPC 2.0
   *     section 4.3 reserves
   */
  public static Builder builder(String name) {
    return new Builder(requireFree(name));
  }

  /**
   * Returns the name if it is not reserved (JSON-RPC 2.0 section 4.3).
   *
   * @throws IllegalArgumentException if the name starts with {@code rpc.}
   */
  static String requireFree(String name) {
    if (name.startsWith("rpc.")) {
      throw new IllegalArgumentException(
          "the method name '" + name + "' is reserved: names that start with 'rpc.' belong to the"
              + " protocol (JSON-RPC 2.0 section 4.3); choose another");
    }
    return name;
  }

  /** Returns the method name in requests. */
  public String name() {
    return name;
  }

  /** Returns the {@linkplain Rpc#description description}, or an empty string. */
  public String description() {
    return traits.description();
  }

  /** Returns the lane of the notifications, or otherwise of the requests, of this method. */
  public Lane lane(boolean notification) {
    Lane declared = traits.lane();
    if (declared != null) {
      return declared;
    }
    return notification ? Lane.ORDERED : Lane.CONCURRENT;
  }

  /** Returns the parameters in order, or null if the handler accepts any params. */
  public @Nullable List<Parameter> parameters() {
    return definition.parameters();
  }

  /**
   * Returns whether params are accepted by position only, because not all parameters have names.
   */
  boolean isByPosition() {
    return invoker instanceof TypedMethod typed && !typed.takesObject();
  }

  /** Returns whether params are accepted by name only, because they are one object as a whole. */
  boolean isByName() {
    return handler() instanceof BindingHandler binding && binding.hasMembers();
  }

  /** Returns the JSON Schema (draft-07) of the result, or null if it is not known. */
  public @Nullable Json result() {
    return definition.result();
  }

  /** Returns the Java method that serves the calls; null for a lambda. */
  public @Nullable Method javaMethod() {
    return handler() instanceof TypedMethod typed ? typed.java() : null;
  }

  /** Returns the object of the {@link #javaMethod}; null for a static method and for a lambda. */
  public @Nullable Object target() {
    return handler() instanceof TypedMethod typed ? typed.receiver() : null;
  }

  /**
   * Returns the nearest annotation of this type in {@link #annotated}; null if there is none. An
   * annotation of the Java method has precedence over one of its class.
   */
  public <A extends Annotation> @Nullable A annotation(Class<A> type) {
    for (AnnotatedElement element : annotated()) {
      A annotation = element.getAnnotation(type);
      if (annotation != null) {
        return annotation;
      }
    }
    return null;
  }

  /**
   * Returns the parts of the Java code with annotations for this method, nearest first: the Java
   * method of the served object, the methods that it overrides or implements, and then the class of
   * the object, its superclasses and interfaces. Empty for a lambda, which has {@link #attributes}
   * instead. Unmodifiable.
   */
  public List<AnnotatedElement> annotated() {
    return handler() instanceof TypedMethod typed ? typed.annotated() : List.of();
  }

  /** Returns the attributes that the {@linkplain Builder#attribute builder} has set. */
  public Attributes attributes() {
    return traits.attributes();
  }

  /**
   * Calls the handler of this method, for handlers that dispatch to other methods themselves; see
   * {@link Call#with}. The call does not pass through the layers again.
   *
   * @return the result, as {@link Handler#handle} returns it
   * @throws RpcException with -32602 if the params do not fit
   * @throws Exception any exception of the method
   */
  public @Nullable Object handle(Call call) throws Exception {
    return handler().handle(call);
  }

  /**
   * Converts a result of this method to JSON, by its declared type.
   *
   * @throws IllegalArgumentException if the result has no JSON form
   */
  public Json write(@Nullable Object result) {
    JsonWriter out = new JsonWriter();
    resultType().write(out, result);
    return UnsafeJson.wrap(out.toBytes());
  }

  /** Returns the type that writes the results of the handler. */
  ResultType resultType() {
    return definition.resultType();
  }

  Handler handler() {
    return execution.handler();
  }

  /**
   * Returns whether the reader runs this method immediately, before queued messages and without
   * layers.
   */
  boolean isImmediate() {
    return execution instanceof Execution.Immediate;
  }

  /** Returns {@link Execution#isDetached}. */
  boolean isDetached() {
    return detached;
  }

  /** Returns {@link Execution#invoker}. */
  @Nullable MethodInvoker invoker() {
    return invoker;
  }

  @Override
  public String toString() {
    return name;
  }

  /** A builder of methods that are implemented by lambdas. Not thread-safe. */
  public static final class Builder {
    private final String name;
    private String description = "";
    private @Nullable Lane lane;
    private Attributes attributes = Attributes.NONE;
    private @Nullable JsonTypes types;
    private Streaming streaming = Streaming.DEFAULT;
    private boolean idempotent;

    private Builder(String name) {
      this.name = name;
    }

    /** Sets the description, in one or two sentences for people or models that call the method. */
    public Builder description(String description) {
      this.description = description;
      return this;
    }

    /** Sets the lane of the method, as {@link Rpc#lane} does. */
    public Builder lane(Lane lane) {
      this.lane = lane;
      return this;
    }

    /**
     * Declares that handling a call twice has the same effect as once; see {@link Rpc#idempotent}.
     */
    public Builder idempotent() {
      idempotent = true;
      return this;
    }

    /**
     * Sets an attribute of the method, for layers, as an annotation of a Java method does: for
     * example the roles of its callers. Layers find it in {@code call.rpcMethod().attributes()}.
     */
    public <T> Builder attribute(Attribute<T> key, T value) {
      attributes = attributes.with(key, value);
      return this;
    }

    /**
     * Sets the mappings for the types of the params and the result. Without them the method uses
     * the types of the endpoint that serves it. Types that only the endpoint's binders know need
     * them.
     */
    public Builder types(JsonTypes types) {
      this.types = types;
      return this;
    }

    /** Returns a method that reads its params itself. */
    public RpcMethod handler(Handler handler) {
      Execution execution = new Execution.OfHandler(handler);
      return following(null, each -> new Definition(null, execution, each));
    }

    /**
     * Returns a method that reads its params as a whole, as {@link Rpc#paramsObject} does.
     *
     * @param params the type of the params: a type with the form of a JSON object or array, or
     *     {@code Void} for a method without params
     * @param result the type of the result; {@code Void} for null
     * @throws IllegalArgumentException if a type cannot be bound to JSON, or {@code params} has the
     *     form of a single value
     */
    public <P, R> RpcMethod handler(
        Class<P> params, Class<R> result, TypedHandler<? super P, ? extends R> handler) {
      return typed(params, result, handler, null);
    }

    /**
     * Returns a method that reads its params as a whole, with generic types; see {@link
     * #handler(Class, Class, TypedHandler)}.
     */
    public <P, R> RpcMethod handler(
        TypeToken<P> params, TypeToken<R> result, TypedHandler<? super P, ? extends R> handler) {
      return typed(params.type(), result.type(), handler, null);
    }

    /**
     * Returns a method that reads its params as a whole and answers later; see {@link
     * #handler(Class, Class, TypedHandler)}. The result is the value of the stage.
     */
    public <P, R> RpcMethod asyncHandler(
        Class<P> params,
        Class<R> result,
        TypedHandler<? super P, ? extends CompletionStage<? extends R>> handler) {
      return typed(params, result, handler, null);
    }

    /** Sets the options of the stream that a {@link #streamHandler} returns. */
    public Builder streaming(Streaming streaming) {
      this.streaming = streaming;
      return this;
    }

    /**
     * Returns a method that reads its params as a whole and returns a stream; see {@link
     * #handler(Class, Class, TypedHandler)}.
     *
     * @param item the type of the items
     * @param handler returns a {@link java.util.concurrent.Flow.Publisher}, {@link
     *     java.util.stream.Stream} or {@link java.util.Iterator} of items; anything else fails the
     *     call
     */
    public <P, R> RpcMethod streamHandler(
        Class<P> params, Class<R> item, TypedHandler<? super P, ?> handler) {
      return typed(params, item, handler, streaming);
    }

    private Traits traits(@Nullable Streaming returned) {
      return new Traits(description, lane, attributes, returned, idempotent, false);
    }

    private RpcMethod typed(
        Type params, Type result, TypedHandler<?, ?> handler, @Nullable Streaming returned) {
      Function<JsonTypes, Definition> define = each -> define(name, params, result, handler, each);
      return types == null
          ? following(returned, define)
          : new RpcMethod(name, traits(returned), define.apply(types));
    }

    private RpcMethod following(
        @Nullable Streaming returned, Function<JsonTypes, Definition> define) {
      return new RpcMethod(name, traits(returned), define.apply(JsonTypes.standard()), define);
    }

    @SuppressWarnings("unchecked") // the result type only writes results of the handler
    private static Definition define(
        String name, Type params, Type result, TypedHandler<?, ?> handler, JsonTypes types) {
      WholeParams whole;
      try {
        whole = new WholeParams(types.of(params)).requireStructured();
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("the method '" + name + "': " + e.getMessage(), e);
      }
      return new Definition(
          Parameter.of(whole),
          (JsonType<@Nullable Object>) types.of(result),
          new Execution.OfHandler(new Typed(whole, (TypedHandler<@Nullable Object, ?>) handler)),
          types);
    }
  }
}

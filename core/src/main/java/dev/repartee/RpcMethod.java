package dev.repartee;

import dev.repartee.access.Allow;
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
  static RpcMethod builtin(String name, Execution execution) {
    return new RpcMethod(
        name, new Traits(Lane.INLINE), new Definition(List.of(), execution, JsonTypes.standard()));
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

  /** Returns whether this method has priority over others. */
  boolean isControl() {
    return execution instanceof Execution.Control;
  }

  /** Returns whether this method is in no table; see {@link Service.Builder#others}. */
  boolean isOther() {
    return execution instanceof Execution.OfOthers;
  }

  /**
   * Returns whether the service declares a method with this name. False for an unknown method and
   * for one of {@link Service.Builder#others}: a peer chooses their names. Metrics and caches should
   * not have a key for each of them.
   */
  public boolean isServed() {
    return !isUnknown() && !isOther();
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

  /**
   * Returns the {@linkplain Rpc#description description}; without one, the Javadoc of the Java
   * method, if the annotation processor of the module javadoc has kept it; otherwise an empty
   * string.
   */
  public String description() {
    return docs().description();
  }

  /** Returns the facts that {@code rpc.discover} reports about this method beside its types. */
  MethodDocs docs() {
    MethodDocs docs = traits.docs();
    return handler() instanceof TypedMethod typed ? docs.orJavadoc(typed::javadoc) : docs;
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
    WholeParams whole = handler() instanceof BindingHandler binding ? binding.whole() : null;
    return whole != null && whole.hasMembers();
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
    return handler() instanceof TypedMethod typed ? typed.annotation(type) : null;
  }

  /** Returns the restriction of the callers; null if there is none. */
  @Nullable Allow allow() {
    return handler() instanceof TypedMethod typed ? typed.allow() : null;
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
    private String summary = "";
    private String description = "";
    private List<String> tags = List.of();
    private boolean deprecated;
    private final List<MethodDocs.Failure> errors = new ArrayList<>();
    private final List<MethodDocs.Example> examples = new ArrayList<>();
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

    /** Sets the summary, in a few words for lists of methods. */
    public Builder summary(String summary) {
      this.summary = summary;
      return this;
    }

    /** Sets the groups of the method in documentation. */
    public Builder tags(String... tags) {
      this.tags = List.of(tags);
      return this;
    }

    /** Marks the method as one that callers should stop using. */
    public Builder deprecated() {
      deprecated = true;
      return this;
    }

    /** Adds an error without data with which the method may answer; see {@link Rpc.Error}. */
    public Builder error(int code, String message) {
      return error(code, message, Void.class);
    }

    /**
     * Adds an error with which the method may answer; see {@link Rpc.Error}.
     *
     * @param data the type of the data
     */
    public Builder error(int code, String message, Class<?> data) {
      errors.add(new MethodDocs.Failure(code, message, data));
      return this;
    }

    /**
     * Adds an example of a call; see {@link Rpc.Example}.
     *
     * @param params the params, a JSON array or object; empty for a call without params
     * @param result the result as JSON; empty for the result null
     * @throws IllegalArgumentException if a text is not JSON, or the params have another form
     */
    public Builder example(String name, String params, String result) {
      examples.add(MethodDocs.Example.of(name, params, result));
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
      MethodDocs docs = docs();
      return following(null, each -> {
        docs.requireTypes(each);
        return new Definition(null, execution, each);
      });
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

    private MethodDocs docs() {
      return new MethodDocs(summary, description, tags, deprecated, errors, examples);
    }

    private Traits traits(@Nullable Streaming returned) {
      return new Traits(docs(), lane, attributes, returned, idempotent, false);
    }

    private RpcMethod typed(
        Type params, Type result, TypedHandler<?, ?> handler, @Nullable Streaming returned) {
      MethodDocs docs = docs();
      Function<JsonTypes, Definition> define =
          each -> TypedLambda.define(name, params, result, handler, docs, each);
      return types == null
          ? following(returned, define)
          : new RpcMethod(name, traits(returned), define.apply(types));
    }

    private RpcMethod following(
        @Nullable Streaming returned, Function<JsonTypes, Definition> define) {
      return new RpcMethod(name, traits(returned), define.apply(JsonTypes.standard()), define);
    }
  }
}

package dev.repartee;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One method of a {@link Service}, as documents and checks want to know it. Immutable. */
public final class RpcMethod {
  /**
   * What is known of one parameter.
   *
   * @param name its name
   * @param required whether it must be given
   * @param variadic whether it takes all further positional arguments
   * @param schema the JSON Schema (draft-07) of its type
   */
  public record Parameter(String name, boolean required, boolean variadic, Json schema) {}

  private final String name;
  private final String description;
  private final @Nullable Lane lane;
  private final @Nullable List<Parameter> parameters;
  private final @Nullable Json result;
  private final ResultType resultType;
  private final Handler handler;
  private final @Nullable Invoker invoker;
  private final boolean detached;

  final byte[] bytes;

  /**
   * @param description what it does, or empty
   * @param lane null for the default of each kind of message
   * @param parameters null where a handler takes the params as they are
   * @param result the type of the result, null where nothing is known
   * @param invoker the way without boxing, null where there is only the handler
   * @param detached whether the exchange can outlive the invocation
   */
  RpcMethod(
      String name,
      String description,
      @Nullable Lane lane,
      @Nullable List<Parameter> parameters,
      @Nullable JsonType<@Nullable Object> result,
      Handler handler,
      @Nullable Invoker invoker,
      boolean detached) {
    this.name = name;
    this.description = description;
    this.lane = lane;
    this.parameters = parameters;
    this.result = result == null ? null : result.schema();
    this.resultType = result == null ? ResultType.ANY : new ResultType(result);
    this.handler = handler;
    this.invoker = invoker;
    this.detached = detached;
    this.bytes = Service.utf8(name);
  }

  /** A method of our own, which may carry a reserved name. */
  static RpcMethod builtin(String name, Handler handler) {
    return new RpcMethod(name, "", Lane.INLINE, List.of(), null, handler, null, true);
  }

  /** A method of the protocol itself, that the reader runs whatever waits before it. */
  static RpcMethod immediate(String name, Invoker invoker) {
    return new RpcMethod(name, "", null, null, null, call -> null, invoker, false);
  }

  /** A method of a user, whose name must not be reserved. */
  static RpcMethod of(String name, @Nullable Lane lane, Handler handler) {
    return new RpcMethod(requireFree(name), "", lane, null, null, handler, null, true);
  }

  /**
   * The name, if it is not reserved (JSON-RPC 2.0 section 4.3).
   *
   * @throws IllegalArgumentException if it starts with {@code rpc.}
   */
  static String requireFree(String name) {
    if (name.startsWith("rpc.")) {
      throw new IllegalArgumentException(
          "the method name '" + name + "' is reserved: names that start with 'rpc.' belong to the"
              + " protocol (JSON-RPC 2.0 section 4.3); choose another");
    }
    return name;
  }

  /** The name on the wire. */
  public String name() {
    return name;
  }

  /** What it does, as {@link Rpc#description} says; empty where nothing is said. */
  public String description() {
    return description;
  }

  /** Where its requests run, or its notifications. */
  public Lane lane(boolean notification) {
    if (lane != null) {
      return lane;
    }
    return notification ? Lane.ORDERED : Lane.CONCURRENT;
  }

  /** The parameters in order, or null where the handler takes whatever comes. */
  public @Nullable List<Parameter> parameters() {
    return parameters;
  }

  /** Whether it takes its params by position only, since not all of them have names. */
  boolean isByPosition() {
    return invoker instanceof TypedMethod typed && !typed.isNamed();
  }

  /** The JSON Schema (draft-07) of the result, or null where it is not known. */
  public @Nullable Json result() {
    return result;
  }

  /**
   * Calls the method in the place of the engine, for handlers that choose between methods by what they
   * were asked; see {@link Call#with}. Layers do not see it.
   *
   * @return as {@link Handler#handle}
   * @throws RpcException -32602 for params that do not fit, and what the method throws
   */
  public @Nullable Object handle(Call call) throws Exception {
    return handler.handle(call);
  }

  /**
   * What the method returned, as its declared type is written.
   *
   * @throws IllegalArgumentException if it has no JSON form
   */
  public Json write(@Nullable Object result) {
    Output out = new Output();
    resultType.write(out, result);
    return Json.wrap(out.toBytes());
  }

  /** How a result is written that the handler returned. */
  ResultType resultType() {
    return resultType;
  }

  Handler handler() {
    return handler;
  }

  /** Whether it runs at once, not held back by anything and outside of all layers. */
  boolean isImmediate() {
    return lane == null && invoker != null && parameters == null;
  }

  /**
   * Whether the exchange can be seen after the invocation has returned: it takes a {@link Call}, or
   * answers later.
   */
  boolean isDetached() {
    return detached;
  }

  @Nullable Invoker invoker() {
    return invoker;
  }

  @Override
  public String toString() {
    return name;
  }
}

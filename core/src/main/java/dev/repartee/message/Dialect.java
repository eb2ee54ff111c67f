package dev.repartee.message;

import dev.repartee.json.Json;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.Limits;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The differences between the protocols that use JSON-RPC: envelope, cancellation, progress and
 * error responses. The defaults implement plain JSON-RPC 2.0 with two extensions of this library,
 * the notifications {@code rpc.cancel {"id":...}} and {@code rpc.progress {"id":...,"value":...}}.
 *
 * <p>Implementations must be immutable. Most override two or three methods.
 */
public interface Dialect {
  /** Plain JSON-RPC 2.0. */
  Dialect PLAIN = new Dialect() {};

  /**
   * Returns plain JSON-RPC 2.0, where some errors are the HTTP status of the response, too: an error
   * with the code 403 has the status 403. Other errors, and batches, have the status 200.
   *
   * @param errorCodes the codes of these errors, such as 401, 403 and 429
   * @throws IllegalArgumentException if a code is not from 400 to 599
   */
  static Dialect withHttpStatuses(int... errorCodes) {
    return new HttpStatuses(errorCodes);
  }

  /**
   * Returns a dialect that also reads additional members of requests and notifications, beside
   * {@code method} and {@code params}, such as the {@code traceparent} of StreamJsonRpc: {@link
   * dev.repartee.Call#member}. Other additional members are skipped, as without this dialect. A
   * value of more than 8,192 bytes counts as absent, like a repetition of a member.
   *
   * @param names the names of the members, at most 16
   * @throws IllegalArgumentException if JSON-RPC defines a member of that name, or if there are more
   *     names
   */
  static Dialect withMembers(Dialect dialect, String... names) {
    return MemberDialect.of(dialect, names);
  }

  /**
   * Returns the dialect that {@link #withMembers} has extended; this one if it reads no additional
   * members.
   */
  static Dialect withoutMembers(Dialect dialect) {
    return dialect instanceof MemberDialect reading ? reading.dialect() : dialect;
  }

  /** Returns the dialect behind all {@link ForwardingDialect}s; this one if it forwards nothing. */
  default Dialect origin() {
    return this;
  }

  /**
   * Returns the codec of the envelope. Called once for each connection, and for each message that
   * arrives without one. A codec without state is always the same object.
   */
  default Codec codec() {
    return JsonRpc.STRICT;
  }

  /** Returns the name of the method that cancels a call; null if calls cannot be cancelled. */
  default @Nullable String cancelMethod() {
    return "rpc.cancel";
  }

  /**
   * Returns whether the message that cancels a call is a request. Its response is ignored. False by
   * default: the message is a notification.
   */
  default boolean isCancelAnswered() {
    return false;
  }

  /** Returns the params of the message that cancels the call with that id. */
  default Json cancelParams(Id id) {
    return member("id", id.json());
  }

  /**
   * Returns whether a peer cancels a call when the request that carried the call ends early, as
   * over HTTP. The {@linkplain #cancelMethod message} that cancels is not sent then.
   */
  default boolean isCancelledByDisconnect() {
    return true;
  }

  /** Returns the id of the call that these params cancel; null if they contain none. */
  default @Nullable Id cancelled(@Nullable Json params) {
    return idIn(params, "id");
  }

  /** Returns the error that answers a cancelled call; null if such a call gets no answer. */
  default @Nullable RpcError cancelledError() {
    return new RpcError(RpcError.CANCELLED, "Request cancelled");
  }

  /** Returns the method name of progress notifications; null if there are none. */
  default @Nullable String progressMethod() {
    return "rpc.progress";
  }

  /** Returns the params that report progress of the call with that id. */
  default Json progressParams(Id id, Json value) {
    JsonWriter out =
        new JsonWriter().ascii("{\"id\":").json(id.json()).ascii(",\"value\":").json(value);
    return UnsafeJson.wrap(out.put('}').toBytes());
  }

  /**
   * Returns the id of the call that a progress notification belongs to; null if it contains none.
   */
  default @Nullable Id progressed(@Nullable Json params) {
    return idIn(params, "id");
  }

  /** Returns the value of a progress notification; null if it contains none. */
  default @Nullable Json progress(Json params) {
    return params.get("value");
  }

  /**
   * Returns the error that answers a call which exceeds a limit.
   *
   * @param limit the name of the limit, such as {@code runningCalls}
   * @param max the value of the limit
   */
  default RpcError busy(String limit, long max) {
    return RpcError.limit(RpcError.BUSY, "Busy; try again later", limit, max);
  }

  /**
   * Returns the error that answers a call if its handler does not finish in time.
   *
   * @param millis the {@link Limits#handlerTimeout} in milliseconds
   */
  default RpcError deadlinePassed(long millis) {
    return RpcError.limit(
        RpcError.DEADLINE_PASSED, "Deadline passed; ask for less", "handlerTimeout", millis);
  }

  /**
   * Returns whether the envelope is JSON-RPC 2.0, which carries batches and streams. If not, a
   * batch or stream fails at the side that starts it. True by default.
   */
  default boolean isJsonRpc2() {
    return true;
  }

  /**
   * Returns whether params by name may have the member {@code _meta} for facts beside the arguments,
   * such as the context of a trace, as in MCP and ACP. False by default.
   */
  default boolean hasMeta() {
    return false;
  }

  /**
   * Returns whether a server answers input that is not a valid message, although it has no readable
   * id. Invalid messages with an id are answered in any case. True by default.
   */
  default boolean answersWithoutId() {
    return true;
  }

  /**
   * Returns whether input that is not a valid message ends the connection. Its answer and the
   * answers to earlier requests are sent first. False by default.
   */
  default boolean endsAfterInvalid() {
    return false;
  }

  /**
   * Returns whether requests are answered one at a time, in the order of their arrival. Then
   * concurrent methods run as ordered ones do, and events of the server may come between the
   * answers. False by default.
   */
  default boolean answersInOrder() {
    return false;
  }

  /**
   * Returns the HTTP status of a response. The default is 200 also for errors, as in the JSON-RPC
   * over HTTP drafts of 2013 and in most servers.
   *
   * @param errorCode the code of the error in the response; empty for a result or a batch
   */
  default int httpStatus(OptionalInt errorCode) {
    return 200;
  }

  /**
   * Returns the HTTP status of a reply without a message, as to a notification: 204, 202 or 200.
   * The default is 204.
   */
  default int httpNotificationStatus() {
    return 204;
  }

  private static Json member(String name, Json value) {
    JsonWriter out = new JsonWriter().put('{').string(name).put(':').json(value).put('}');
    return UnsafeJson.wrap(out.toBytes());
  }

  private static @Nullable Id idIn(@Nullable Json params, String name) {
    Json id = params == null ? null : params.get(name);
    if (id == null) {
      return null;
    }
    return switch (id.kind()) {
      case STRING, NUMBER, NULL -> Id.of(id);
      default -> null;
    };
  }
}

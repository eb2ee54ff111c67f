package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * What differs between the protocols that stand on JSON-RPC. The defaults are those of plain JSON-RPC
 * 2.0 with this library's own extensions: the notifications {@code rpc.cancel {"id":...}} and {@code
 * rpc.progress {"id":...,"value":...}}.
 *
 * <p>Implementations are immutable; most override two or three methods.
 */
public interface Dialect {
  /** Plain JSON-RPC 2.0. */
  Dialect PLAIN = new Dialect() {};

  /** The envelope. */
  default Codec codec() {
    return JsonRpc.STRICT;
  }

  /** The method that cancels a call, or null where calls cannot be cancelled. */
  default @Nullable String cancelMethod() {
    return "rpc.cancel";
  }

  /** The params that cancel the call of that id. */
  default Json cancelParams(Id id) {
    return member("id", id.json());
  }

  /**
   * Returns whether a peer cancels a call when the request that carried the call ends early, as over
   * HTTP. The {@linkplain #cancelMethod message} that cancels is not sent then.
   */
  default boolean isCancelledByDisconnect() {
    return true;
  }

  /** The id of the call that these params cancel, or null if they name none. */
  default @Nullable Id cancelled(@Nullable Json params) {
    return idIn(params, "id");
  }

  /** The answer to a call that was cancelled, or null where such a call is not answered. */
  default @Nullable RpcError cancelledError() {
    return new RpcError(RpcError.CANCELLED, "Request cancelled");
  }

  /** The notification that reports progress, or null where there is none. */
  default @Nullable String progressMethod() {
    return "rpc.progress";
  }

  /** The params that report progress of the call of that id. */
  default Json progressParams(Id id, Json value) {
    Output out =
        new Output().ascii("{\"id\":").json(id.json()).ascii(",\"value\":").json(value);
    return Json.wrap(out.put('}').toBytes());
  }

  /** The id of the call whose progress these params report, or null if they name none. */
  default @Nullable Id progressed(@Nullable Json params) {
    return idIn(params, "id");
  }

  /** The progress that these params report, or null if they hold none. */
  default @Nullable Json progress(Json params) {
    return params.get("value");
  }

  /** The answer to a call past the bound on running calls. */
  default RpcError busy(String limit, long max) {
    return RpcError.limit(RpcError.BUSY, "Busy; try again later", limit, max);
  }

  /** The answer to a call whose handler did not finish in time. */
  default RpcError deadlinePassed(long millis) {
    return RpcError.limit(
        RpcError.DEADLINE_PASSED, "Deadline passed; ask for less", "handlerTimeout", millis);
  }

  /**
   * The HTTP status that an answer travels with: 200 whatever it says, as the drafts of 2013 and most
   * servers have it.
   *
   * @param error the error that is answered, or null for a result or a batch
   */
  default int httpStatus(@Nullable RpcError error) {
    return 200;
  }

  /** The HTTP status where nothing is to be answered, as to a notification: 204, else 202 or 200. */
  default int httpNotificationStatus() {
    return 204;
  }

  private static Json member(String name, Json value) {
    Output out = new Output().put('{').string(name).put(':').json(value).put('}');
    return Json.wrap(out.toBytes());
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

package dev.repartee.bridge;

import dev.repartee.Call;
import dev.repartee.RpcException;
import dev.repartee.bridge.SharedBackend.Audience;
import dev.repartee.internal.Batched;
import dev.repartee.json.Json;
import dev.repartee.limits.ClientShares;
import dev.repartee.message.RpcError;
import org.jspecify.annotations.Nullable;

/**
 * A subscription, or an answer that may be the id of one.
 *
 * @param method the method of the call
 * @param client null if the call came without a connection, or was cancelled @param name the name
 *     of the client that it counts for; all connections of a client have the same name
 */
record Subscription(String method, @Nullable Audience client, String name, State state) {
  /** The state of the answer. A subscription other than {@link #ALONE} gets no items. */
  enum State {
    /** The call was sent alone, and its client has the answer. */
    ALONE,
    /** The call was sent in a batch, and its answer waits for the methods of the backend. */
    BATCHED,
    /** The call was sent in a batch, and its client has the answer, since the methods were late. */
    LATE,
    /** The connection was lost before the client was notified of the end of the subscription. */
    LOST
  }

  static Subscription by(Call call, @Nullable Audience client) {
    return new Subscription(
        call.method(),
        client,
        ClientShares.client(null, call.channel().remote()),
        call.attributes().find(Batched.class) != null ? State.BATCHED : State.ALONE);
  }

  /** Returns the same subscription, for a cancelled call. */
  Subscription withoutClient() {
    return new Subscription(method, null, name, state);
  }

  Subscription in(State next) {
    return new Subscription(method, client, name, next);
  }

  /** Throws if the call must not subscribe. */
  void requireFit() {
    if (client == null) {
      throw unfit(
          "a subscription needs a connection that carries notifications, such as a WebSocket");
    }
    if (state == State.BATCHED) {
      throw inBatch();
    }
  }

  RpcException inBatch() {
    return unfit(
        "a subscription cannot be opened in a batch: call '" + method + "' in a separate request");
  }

  private static RpcException unfit(String reason) {
    return new RpcException(RpcError.INVALID_REQUEST, "Invalid Request", Json.of(reason));
  }
}

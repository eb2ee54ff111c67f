package dev.repartee.bridge;

import dev.repartee.Call;
import dev.repartee.RpcError;
import dev.repartee.RpcException;
import dev.repartee.bridge.SharedBackend.Audience;
import dev.repartee.internal.Batched;
import dev.repartee.json.Json;
import dev.repartee.limits.ClientShares;
import org.jspecify.annotations.Nullable;

/**
 * A subscription, or an answer that may be the id of one.
 *
 * @param method the method of the call
 * @param client null if the call came without a connection, or was given up
 * @param name the client whose share it uses; its connections have one share
 * @param batched whether the call was sent in a batch, and must not subscribe
 */
record Subscription(String method, @Nullable Audience client, String name, boolean batched) {
  static Subscription by(Call call, @Nullable Audience client) {
    return new Subscription(
        call.method(),
        client,
        ClientShares.client(null, call.channel().remote()),
        call.attributes().find(Batched.class) != null);
  }

  /** Returns the same subscription of a call that was given up. */
  Subscription withoutClient() {
    return new Subscription(method, null, name, batched);
  }

  /** Throws if the call must not subscribe. */
  void requireFit() {
    if (client == null) {
      throw unfit(
          "a subscription needs a connection that carries notifications, such as a" + " WebSocket");
    }
    if (batched) {
      throw inBatch();
    }
  }

  RpcException inBatch() {
    return unfit("a subscription cannot be opened in a batch: call '" + method
        + "' in a request of its own");
  }

  private static RpcException unfit(String reason) {
    return new RpcException(RpcError.INVALID_REQUEST, "Invalid Request", Json.of(reason));
  }
}

package dev.repartee.bridge;

import dev.repartee.Peer;
import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.limits.LimitException;
import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The methods of a backend that open and end subscriptions.
 *
 * @param subscribing the methods that open a subscription
 * @param unsubscribing the methods that end one
 * @param items the notifications with items
 */
record SubscriptionMethods(
    Map<String, Names> subscribing, Set<String> unsubscribing, Set<String> items) {
  /** The notification with the items of a subscription, and the method that ends it. */
  record Names(String notification, String unsubscribe) {}

  /** The methods of a backend that has none, or does not describe them. */
  static final SubscriptionMethods NONE = new SubscriptionMethods(Map.of(), Set.of(), Set.of());

  /** The time for the answer to the call of {@code rpc.discover}. */
  private static final Duration LIMIT = Duration.ofSeconds(5);

  /** Asks a backend for its methods. The future completes without a failure. */
  static CompletableFuture<SubscriptionMethods> of(Peer backend) {
    try {
      return backend
          .request("rpc.discover")
          .unthrottled()
          .timeout(LIMIT)
          .send(Json.class)
          .handle((document, failure) -> failure == null ? read(document) : NONE);
    } catch (DisconnectedException | LimitException | RpcException e) {
      return CompletableFuture.completedFuture(NONE);
    }
  }

  /** Reads the members {@code x-stream} of an OpenRPC document; see docs/streams.md. */
  private static SubscriptionMethods read(Json document) {
    Map<String, Names> subscribing = new HashMap<>();
    Set<String> unsubscribing = new HashSet<>();
    Set<String> items = new HashSet<>();
    try {
      Json methods = document.get("methods");
      for (Json method : methods == null ? List.<Json>of() : methods.elements()) {
        Json stream = method.get("x-stream");
        if (stream != null && text(stream, "form").equals("subscription")) {
          Names names = new Names(text(stream, "notification"), text(stream, "unsubscribe"));
          subscribing.put(text(method, "name"), names);
          unsubscribing.add(names.unsubscribe());
          items.add(names.notification());
        }
      }
    } catch (JsonException e) {
      return NONE; // it is no such document
    }
    return new SubscriptionMethods(subscribing, unsubscribing, items);
  }

  private static String text(Json object, String member) {
    Json value = object.get(member);
    return value == null ? "" : value.as(String.class);
  }
}

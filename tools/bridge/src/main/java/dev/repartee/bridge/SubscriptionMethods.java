package dev.repartee.bridge;

import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.RpcException;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.LimitException;
import dev.repartee.message.RpcError;
import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

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

  /** No methods: the backend has none, or does not describe them. */
  static final SubscriptionMethods NONE = new SubscriptionMethods(Map.of(), Set.of(), Set.of());

  /** The time for the answer to the call of {@code rpc.discover}. */
  static final Duration LIMIT = Duration.ofSeconds(5);

  /** The size of the largest document that is read, in bytes. */
  static final int LARGEST = 4 << 20;

  /** The pause before the next call of {@code rpc.discover}. */
  private static final Duration AGAIN = Duration.ofSeconds(1);

  /**
   * Requests the methods of a backend repeatedly, until it answers. A busy backend or a time-out
   * does not count as an answer: otherwise a client that keeps the backend busy would receive the
   * subscriptions of others.
   *
   * @return the methods; never fails, and does not complete if the connection ends before
   */
  static CompletableFuture<SubscriptionMethods> of(Peer backend) {
    CompletableFuture<SubscriptionMethods> methods = new CompletableFuture<>();
    ask(backend, methods);
    return methods;
  }

  private static void ask(Peer backend, CompletableFuture<SubscriptionMethods> methods) {
    try {
      backend
          .request("rpc.discover")
          .unthrottled()
          .timeout(LIMIT)
          .independent() // all clients wait for it
          .send(Json.class)
          .handle((document, failure) -> failure == null ? read(document) : none(failure))
          .whenComplete((read, error) -> { // an OutOfMemoryError of read(), for example
            if (read == null && error == null) {
              again(backend, methods);
            } else {
              methods.complete(read == null ? NONE : read);
            }
          });
    } catch (DisconnectedException e) {
      // The question ends with the connection.
    } catch (LimitException | RpcException e) {
      again(backend, methods);
    }
  }

  /** Returns {@link #NONE} if a failure is an answer of the backend, otherwise null. */
  private static @Nullable SubscriptionMethods none(Throwable failure) {
    return failure instanceof RemoteRpcException error && !isBusy(error) ? NONE : null;
  }

  private static void again(Peer backend, CompletableFuture<SubscriptionMethods> methods) {
    Clock.SYSTEM.schedule(AGAIN, Threads.CALLS, () -> ask(backend, methods));
  }

  /** Returns whether a server of this library has refused the call at one of its limits. */
  private static boolean isBusy(RemoteRpcException error) {
    Json data = error.data();
    return error.code() == RpcError.BUSY
        && data != null
        && data.kind() == Json.Kind.OBJECT
        && data.get("limit") != null;
  }

  /**
   * Reads the members {@code x-stream} of an OpenRPC document; see docs/streams.md. A document of
   * more than {@value #LARGEST} bytes describes none.
   */
  private static SubscriptionMethods read(Json document) {
    if (document.length() > LARGEST) {
      return NONE;
    }
    Map<String, Names> subscribing = new HashMap<>();
    Set<String> unsubscribing = new HashSet<>();
    Set<String> items = new HashSet<>();
    try {
      Json methods = document.get("methods");
      Iterator<Json> each = methods == null
          ? Collections.emptyIterator()
          : UnsafeJson.elements(methods); // one at a time: an array of numbers is 8 million objects
      while (each.hasNext()) {
        Json method = each.next();
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

package dev.repartee.bridge;

import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.Peer;
import dev.repartee.RpcException;
import dev.repartee.bridge.SharedBackend.Audience;
import dev.repartee.bridge.Subscription.State;
import dev.repartee.bridge.SubscriptionMethods.Names;
import dev.repartee.bridge.SubscriptionTable.Verdict;
import dev.repartee.internal.Clock;
import dev.repartee.internal.ThreadContext;
import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import dev.repartee.limits.LimitException;
import dev.repartee.message.Id;
import dev.repartee.message.RpcError;
import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions that clients have opened over one connection to a shared backend. The items of
 * a subscription are sent only to its client, and it ends when the client disconnects. Thread-safe.
 */
final class Subscribers {
  /*
   * Implementation note.
   *
   * On the wire a subscription is an ordinary call, and rpc.discover describes which methods open
   * one. The bridge calls rpc.discover only if it has a reason, since a server of a foreign
   * protocol may not expect that call. The first answer in the form of an id of this library is
   * such a reason; until the methods are known, these answers are recorded. The first cancellation
   * is the other reason: cancelling the future of a call would drop its answer, and with it the id
   * of a subscription. Only calls that do not subscribe are cancelled in this way. For a call that
   * subscribes, this class sends the cancellation and still awaits the answer: if it is an id, the
   * subscription is ended. If the methods are late, every call is cancelled like this, and its
   * answer is awaited for END.
   *
   * Until the methods are known, a message waits if its argument is an answer to another client,
   * since it may end the subscription of that client.
   *
   * An answer is recorded before the reader of the backend reads the next message; no item can
   * arrive before its subscription is known. A client is marked as absent before leave() is called,
   * and an answer is recorded before the client is looked up; one of the two therefore ends the
   * subscription.
   *
   * An answer that cannot be recorded, because there is no room, waits for the methods, too:
   * otherwise its subscription would count for no client, and would stay open. Such an answer
   * counts towards the runningCalls of its client. The answer to a call in a batch waits as well,
   * since its client would get the id after the items. The items are dropped, and the call is
   * refused.
   *
   * A backend may never answer an unknown method. Therefore no message waits longer than the
   * patience. This does not mean that there are no subscriptions, since a client can keep a backend
   * busy for that time: the bridge repeats the call, and checks the recorded answers when the
   * methods are known. If a subscription was not recorded, the bridge then ends the connection.
   *
   * If a connection ends before its methods are known, the next connection checks the recorded
   * answers. For this purpose it calls rpc.discover only once, since a daemon may end the
   * connection because of this call.
   *
   * SubscriptionTable has the state and its lock. This class sends the messages, without a lock.
   */

  /** The characters of an id: 0x and 16 bytes, in quotation marks. */
  private static final int ID = 36;

  /** The size of the longest id of a subscription, in bytes. */
  private static final int LONGEST_ID = 1_024;

  /** The size of the largest params of a call that ends a subscription, in bytes. */
  private static final int LONGEST_PARAMS = 4_096;

  /** The number of answers that are recorded until the methods of the backend are known. */
  static final int NOTED = 4_096;

  /** The time for the answer to a call that ends a subscription, or that was cancelled. */
  private static final Duration END = Duration.ofSeconds(60);

  private final Peer backend;
  private final Passage passage;
  private final Duration patience;
  private final Predicate<Audience> present;
  private final SubscriptionTable table;

  private final AtomicBoolean asked = new AtomicBoolean();

  /** Completes when messages no longer wait: the methods are known, late, or lost. */
  private final CompletableFuture<@Nullable Void> waited = new CompletableFuture<>();

  /**
   * @param backend the connection
   * @param most the number of subscriptions that the backend allows to a connection
   * @param patience the time for which messages wait for the methods of the backend
   * @param present whether a client is still connected
   */
  Subscribers(
      Peer backend, Passage passage, int most, Duration patience, Predicate<Audience> present) {
    this.backend = backend;
    this.passage = passage;
    this.patience = patience;
    this.present = present;
    this.table = new SubscriptionTable(NOTED, most, present);
    if (!backend.dialect().isJsonRpc2()) {
      asked.set(true);
      learn(SubscriptionMethods.NONE);
    }
  }

  // ---------------------------------------------------------------- calls of clients

  /**
   * Forwards a message to the backend.
   *
   * @param client null if the message came without a connection
   */
  @Nullable Object pass(Call call, @Nullable Audience client, Duration timeout) {
    SubscriptionMethods methods = table.methods();
    if (methods == null && !waited.isDone() && isOfAnother(call, client)) {
      ThreadContext context = ThreadContext.current(); // of the trace of the call
      return ask().thenCompose(now -> stage(context.call(() -> pass(call, client, timeout))));
    }
    if (methods != null && methods.unsubscribing().contains(call.method())) {
      return unsubscribe(call, client, timeout);
    }
    if (call.id() == null) {
      return passage.pass(call, backend, timeout);
    }
    if (methods == null) {
      AtomicReference<Id> id = new AtomicReference<>();
      CallFuture<Json> sent = passage.call(call, backend, timeout, id::set);
      return observed(sent, id::get, call, client, () -> this);
    }
    return methods.subscribing().containsKey(call.method())
        ? subscribe(call, client, timeout)
        : passage.pass(call, backend, timeout);
  }

  private static CompletionStage<@Nullable Object> stage(@Nullable Object result) {
    return result instanceof CompletionStage<?> stage
        ? stage.thenApply(value -> value)
        : CompletableFuture.completedFuture(result);
  }

  /** Returns whether the only argument of a message is the id of a subscription of another client. */
  private boolean isOfAnother(Call call, @Nullable Audience client) {
    Json id = idIn(call.params());
    Subscription entry = id == null ? null : table.find(id);
    return entry != null && entry.client() != client;
  }

  /**
   * Returns the answer to a call that may subscribe.
   *
   * @param id the id of the call at the backend; null before it is sent
   * @param at the subscriptions over the present connection; null before the first one
   */
  static CompletableFuture<Json> observed(
      CallFuture<Json> sent,
      Supplier<@Nullable Id> id,
      Call call,
      @Nullable Audience client,
      Supplier<@Nullable Subscribers> at) {
    Subscription entry = Subscription.by(call, client);
    CompletableFuture<Json> answer = new CompletableFuture<>();
    answer.whenComplete((result, failure) -> {
      Subscribers present = at.get();
      Id number = id.get();
      if (failure instanceof CancellationException && present != null && number != null) {
        present.cancel(entry.method(), number, sent);
      } else if (failure != null) {
        sent.cancel(true); // it was not sent, or has failed
      }
    });
    sent.whenComplete((result, failure) -> {
      if (failure != null) {
        answer.completeExceptionally(failure);
        return;
      }
      Subscribers present = isId(result) ? at.get() : null;
      if (present == null) {
        answer.complete(result);
      } else {
        present.receive(answer, result, entry);
      }
    });
    return answer;
  }

  /** Delivers an answer that may be the id of a subscription to its client. */
  private void receive(CompletableFuture<Json> answer, Json id, Subscription entry) {
    Verdict verdict = table.note(id, entry);
    CompletableFuture<@Nullable Void> known = ask();
    if (verdict == Verdict.WAITS) {
      known.thenRun(() -> {
        if (table.pass(id, entry)) {
          give(answer, id);
        } else {
          receive(answer, id, entry);
        }
      });
    } else if (verdict == Verdict.REFUSED && entry.state() == State.BATCHED) {
      stop(id, entry);
      answer.completeExceptionally(entry.inBatch());
    } else {
      if (verdict == Verdict.REFUSED) {
        refuse(id, entry);
      }
      give(answer, id);
    }
  }

  private void give(CompletableFuture<Json> answer, Json id) {
    if (!answer.complete(id)) { // its call was cancelled
      end(id);
    }
  }

  private static boolean isId(Json result) {
    return result.length() == ID && result.toString().startsWith("\"0x");
  }

  /** Cancels a call. Its future is cancelled only if its method does not subscribe. */
  private void cancel(String method, Id id, CallFuture<Json> call) {
    ask().thenRun(() -> {
      SubscriptionMethods methods = table.methods();
      if (methods != null && !methods.subscribing().containsKey(method)) {
        call.cancel(true);
      } else if (!call.isDone()) {
        cancel(id);
        giveUpLater(method, call);
      }
    });
  }

  /**
   * Cancels the future of a cancelled call that is not answered, unless its method is known to
   * subscribe.
   */
  private void giveUpLater(String method, CallFuture<Json> call) {
    Clock.Timer due = Clock.SYSTEM.schedule(END, Threads.CALLS, () -> {
      SubscriptionMethods methods = table.methods();
      if (methods == null || !methods.subscribing().containsKey(method)) {
        call.cancel(true);
      }
    });
    call.whenComplete((result, failure) -> due.cancel());
  }

  private CompletableFuture<Json> subscribe(
      Call call, @Nullable Audience client, Duration timeout) {
    Subscription entry = Subscription.by(call, client);
    entry.requireFit();
    if (!table.take(entry)) {
      throw new RpcException(refusal());
    }
    AtomicReference<Id> id = new AtomicReference<>();
    CallFuture<Json> sent;
    try {
      sent = passage.call(call, backend, timeout, id::set);
    } catch (RuntimeException | Error e) {
      table.giveBack(entry);
      throw e;
    }
    CompletableFuture<Json> answer = new CompletableFuture<>(); // its end does not end the call
    answer.whenComplete((result, failure) -> {
      if (failure instanceof CancellationException && !sent.isDone()) {
        cancel(id.get());
      }
    });
    sent.whenComplete((result, failure) -> {
      if (failure != null) {
        table.giveBack(entry);
        answer.completeExceptionally(failure);
      } else if (!isPossible(result)) {
        table.giveBack(entry);
        passage.report(
            backend.channel(),
            "'" + call.method() + "' was not answered with the id of a subscription");
        answer.complete(result);
      } else {
        table.add(result, entry);
        if (!answer.complete(result) || !present.test(client)) {
          end(result);
        }
      }
    });
    return answer;
  }

  /** Returns whether a value may be the id of a subscription. */
  private static boolean isPossible(Json id) {
    return id.length() <= LONGEST_ID
        && (id.kind() == Json.Kind.STRING || id.kind() == Json.Kind.NUMBER);
  }

  /**
   * Cancels a call that subscribes. Its answer is still awaited, since it may be the id of a
   * subscription that must be ended.
   */
  private void cancel(@Nullable Id id) {
    String method = backend.dialect().cancelMethod();
    if (id == null || method == null) {
      return;
    }
    try {
      backend.request(method).params(backend.dialect().cancelParams(id)).sendNotification();
    } catch (DisconnectedException | LimitException e) {
      // The call ends with the connection, or completes.
    }
  }

  private @Nullable Object unsubscribe(Call call, @Nullable Audience client, Duration timeout) {
    Json id = idIn(call.params());
    if (id == null) {
      throw new RpcException(
          RpcError.INVALID_PARAMS,
          "Invalid params",
          Json.of("expected the id of the subscription alone"));
    }
    if (isOfAnother(call, client)) {
      return Json.FALSE; // as for an id that is unknown
    }
    if (call.id() == null) {
      table.remove(id);
      return passage.pass(call, backend, timeout);
    }
    CallFuture<Json> sent = passage.call(call, backend, timeout);
    sent.whenComplete((result, failure) -> {
      if (failure == null) {
        table.remove(id);
      }
    });
    return sent;
  }

  /**
   * Returns the id in the params of a call that ends a subscription, as the backend sends it; null
   * if there is no such id. The backend accepts it by position or by any name, and with escapes.
   */
  private static @Nullable Json idIn(@Nullable Json params) {
    if (params == null || params.length() > LONGEST_PARAMS) {
      return null;
    }
    Json only = switch (params.kind()) {
      case ARRAY -> only(params.elements());
      case OBJECT -> only(params.members().values());
      default -> null;
    };
    return only == null || only.kind() != Json.Kind.STRING ? null : Json.of(only.as(String.class));
  }

  private static @Nullable Json only(Collection<Json> values) {
    return values.size() == 1 ? values.iterator().next() : null;
  }

  // ---------------------------------------------------------------- methods of the backend

  /**
   * Requests the methods of the backend, unless that was done before.
   *
   * @return completes when messages no longer wait
   */
  private CompletableFuture<@Nullable Void> ask() {
    if (asked.compareAndSet(false, true)) {
      Clock.SYSTEM.schedule(patience, Threads.CALLS, () -> waited.complete(null));
      SubscriptionMethods.of(backend).thenAccept(this::learn);
    }
    return waited;
  }

  private void learn(SubscriptionMethods methods) {
    table.learn(methods).forEach(this::refuse);
    waited.complete(null);
    if (table.hasMissed(methods)) {
      passage.report(
          backend.channel(),
          "the connection ends, because it has a subscription that was opened before the answer to"
              + " rpc.discover, and is one too many");
      backend.close(Duration.ZERO);
    }
  }

  // ---------------------------------------------------------------- items and ends

  private RpcError refusal() {
    return new RpcError(
        RpcError.BUSY,
        "Busy; try again later",
        Json.of(Map.of("limit", "subscriptions", "max", table.share())));
  }

  /**
   * Notifies the clients that their subscriptions have ended with the connection. While the methods
   * are not known, the entries are kept for {@link #inherit}.
   */
  void lost() {
    if (table.methods() != null) {
      table.clear().forEach((id, entry) -> tell(id, entry, Passage.lost()));
    }
    waited.complete(null);
  }

  /** Inherits the entries of a connection that was lost before its methods were known. */
  void inherit(Subscribers former) {
    former.lost();
    if (table.inherit(former.table.clear())) {
      ask();
    }
  }

  private void tell(Json id, Subscription entry, RpcError error) {
    Audience client = entry.client();
    Names names = names(entry);
    if (client != null && names != null && client.peer().isOpen()) {
      client.tell(names.notification(), Json.of(Map.of("subscription", id, "error", error(error))));
    }
  }

  /**
   * Delivers an item to its client, if the notification is the item of a subscription.
   *
   * @return whether it is one
   */
  boolean deliver(Call notification) {
    Json id = subscription(notification);
    if (id == null) {
      return false;
    }
    Subscription entry = table.find(id);
    SubscriptionMethods methods = table.methods();
    if (entry == null) { // it has ended, or there was no room to record it
      return methods == null
          ? table.isOverflown()
          : methods.items().contains(notification.method());
    }
    if (entry.state() != State.ALONE) {
      return true; // it ends once the methods are known
    }
    Json params = notification.params();
    if (params != null && params.get("error") != null) {
      table.remove(id);
    }
    if (entry.client() != null) {
      entry.client().notify(notification);
    }
    return true;
  }

  /** Returns the id of a subscription in an item; null if the notification cannot be one. */
  private @Nullable Json subscription(Call notification) {
    SubscriptionMethods methods = table.methods();
    boolean possible =
        methods == null ? asked.get() : methods.items().contains(notification.method());
    Json params = notification.params();
    return possible && params != null ? params.get("subscription") : null;
  }

  /** Ends the subscriptions of a client that has disconnected, and is already marked as absent. */
  void leave(Audience client) {
    table.leave(client).forEach(this::stop);
  }

  private void end(Json id) {
    Subscription entry = table.end(id);
    if (entry != null) {
      stop(id, entry);
    }
  }

  /** Ends a subscription that its client must not have. */
  private void refuse(Json id, Subscription entry) {
    if (entry.state() == State.LOST) {
      tell(id, entry, Passage.lost());
    } else {
      tell(id, entry, refusal());
      stop(id, entry);
    }
  }

  private static Json error(RpcError error) {
    return Json.of(Map.of("code", error.code(), "message", error.message()));
  }

  private @Nullable Names names(Subscription entry) {
    SubscriptionMethods methods = table.methods();
    return methods == null ? null : methods.subscribing().get(entry.method());
  }

  private void stop(Json id, Subscription entry) {
    Names names = names(entry);
    if (names == null) {
      return;
    }
    try {
      backend
          .request(names.unsubscribe())
          .unthrottled()
          .timeout(END)
          .independent()
          .args(id)
          .send(Json.class);
    } catch (DisconnectedException e) {
      // It has ended with the connection.
    } catch (LimitException e) {
      passage.report(
          backend.channel(),
          "a subscription of a client that has left stays open: " + e.getMessage());
    }
  }
}

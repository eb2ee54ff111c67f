package dev.repartee.bridge;

import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import dev.repartee.message.Id;
import dev.repartee.message.RpcError;
import dev.repartee.reconnect.Backoff;
import dev.repartee.reconnect.Outage;
import dev.repartee.reconnect.Reconnecting;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One backend that several clients share. Reconnects after each loss. Thread-safe. */
final class SharedBackend implements AutoCloseable {
  /** A client that uses a backend. */
  interface Audience {
    Peer peer();

    /** Forwards a notification of the backend. Must not block. */
    void notify(Call notification);

    /** Sends a notification of the bridge itself. Must not block. */
    void tell(String method, Json params);

    /** Checks again whether the next message of the client may be read. */
    void readOn();
  }

  private final Reconnecting connection;
  private final Passage passage;
  private final Duration timeout;

  /** The time for which messages wait for the methods of the backend. */
  private final Duration patience;

  /** The time for a call that is made without a connection, including its answer. */
  private final Duration waiting;

  /** The time that such a call waits for a connection. */
  private final Duration connecting;

  private final Set<Audience> clients = ConcurrentHashMap.newKeySet();

  /** The number of subscriptions over the connection. */
  private final int subscriptions;

  /** The peer of the last connection; null before the first one. */
  private volatile @Nullable Peer current;

  /** The subscriptions over the last connection; null before the first one. */
  private volatile @Nullable Subscribers subscribers;

  /** The peer of all connections; its calls wait for the next connection. Null before connect. */
  private volatile @Nullable Peer all;

  /**
   * @param headers the names of the header fields of clients that the backend gets
   * @param timeout the time for the answer to a call; zero for no limit
   * @param patience the time for which messages wait for the methods of the backend
   */
  SharedBackend(
      String uri, Options options, List<String> headers, Duration timeout, Duration patience) {
    Endpoint endpoint = Endpoint.parse(uri);
    ChannelInfo info = new ChannelInfo(endpoint.scheme(), "", "");
    passage = new Passage(options.listener(), headers);
    this.timeout = timeout;
    this.patience = patience;
    subscriptions = options.limits().subscriptions();
    connecting = options.limits().connectTimeout();
    waiting = Passage.shorter(options.limits().callTimeout(), timeout);
    Options own = options.toBuilder().answersUnreadable(false).build();
    connection = Reconnecting.to(uri)
        .service(Service.builder().others(Lane.INLINE, this::fromBackend).build())
        .options(own.at(endpoint)) // sets the envelope for the peer of all connections
        .backoff(Backoff.DEFAULT.attempts(Integer.MAX_VALUE))
        .listener(new Outage(endpoint.shown(), event -> passage.notice(info, event)))
        .onConnected(this::connected);
  }

  /**
   * Connects once.
   *
   * @throws IOException if the backend cannot be reached
   */
  void connect() throws IOException {
    all = connection.connect();
  }

  /** Connects in the background, unless {@link #connect} has succeeded. */
  void connectInBackground() {
    if (all == null) {
      all = connection.connectInBackground();
    }
  }

  private void connected(Peer peer) {
    // No client pauses it, but with a condition the answers to a client are sent together.
    peer.flow().readWhile(() -> true);
    Subscribers former = subscribers;
    Subscribers open = new Subscribers(peer, passage, subscriptions, patience, clients::contains);
    if (former != null) {
      open.inherit(former);
    }
    subscribers = open;
    peer.closed().whenComplete((nothing, failure) -> open.lost());
    current = peer;
    clients.forEach(Audience::readOn);
  }

  void join(Audience client) {
    clients.add(client);
  }

  void leave(Audience client) {
    clients.remove(client);
    Subscribers open = subscribers;
    if (open != null) {
      open.leave(client);
    }
  }

  boolean isConnected() {
    Peer peer = current;
    return peer != null && peer.isOpen();
  }

  /**
   * Returns whether the backend accepts messages without delay; if not, the action runs when it
   * does. True without a connection, since calls wait for the next one elsewhere.
   */
  boolean hasRoom(Runnable again) {
    Peer peer = current;
    return peer == null || peer.flow().hasRoom(again);
  }

  /**
   * Forwards a message to the backend, or makes a call wait until there is a connection.
   *
   * @param client null if the message came without a connection
   */
  @Nullable Object pass(Call call, @Nullable Audience client) {
    Peer peer = current;
    Subscribers open = subscribers;
    if (peer != null && open != null && peer.isOpen()) {
      return open.pass(call, client, timeout);
    }
    Peer next = all;
    if (next == null) { // the first connection is being opened
      throw Passage.unreachable();
    }
    if (call.id() == null) {
      return passage.pass(call, next, waiting);
    }
    Departure departure = new Departure(connecting);
    AtomicReference<Id> number = new AtomicReference<>();
    CallFuture<Json> sent = passage.call(call, next, waiting, id -> {
      number.set(id);
      departure.send();
    });
    CompletableFuture<Json> answer =
        Subscribers.observed(sent, number::get, call, client, () -> subscribers);
    limit(answer, departure);
    return answer;
  }

  /**
   * Fails a call that waits for a connection, if it was not sent within the time limit. A call that
   * was sent is not affected, since it may have run.
   */
  private void limit(CompletableFuture<Json> answer, Departure departure) {
    if (connecting.isZero()) {
      return;
    }
    Clock.Timer due = Clock.SYSTEM.schedule(connecting, Threads.CALLS, () -> {
      if (departure.expire()) {
        answer.completeExceptionally(Passage.notConnected(connecting));
      }
    });
    answer.whenComplete((result, failure) -> due.cancel());
  }

  /** Forwards a message of the backend. */
  private @Nullable Object fromBackend(Call call) {
    if (call.id() == null) {
      Subscribers open = subscribers;
      if (open == null || !open.deliver(call)) {
        clients.forEach(client -> client.notify(call));
      }
      return null;
    }
    Audience only = only();
    if (only == null) {
      throw new RpcException(
          RpcError.METHOD_NOT_FOUND,
          "Method not found",
          Json.of("a bridge passes a request on only if it has one client, but it has "
              + clients.size() + "; open a bridge with one backend per client"));
    }
    return passage.pass(call, only.peer(), Duration.ZERO);
  }

  /** Returns the only client; null if there are several or none. */
  private @Nullable Audience only() {
    Audience first = null;
    for (Audience client : clients) {
      if (first != null) {
        return null;
      }
      first = client;
    }
    return first;
  }

  @Override
  public void close() {
    Peer peer = all;
    if (peer != null) {
      peer.close();
    }
  }
}

package dev.repartee.nats;

import dev.repartee.broker.BrokerUri;
import dev.repartee.broker.Causes;
import dev.repartee.broker.ClosingTime;
import dev.repartee.broker.EventChannel;
import dev.repartee.broker.Outbox;
import dev.repartee.broker.Reconnection;
import dev.repartee.broker.Worker;
import dev.repartee.internal.Clock;
import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import dev.repartee.reconnect.Outage;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.Transport;
import io.nats.client.Connection;
import io.nats.client.Consumer;
import io.nats.client.Dispatcher;
import io.nats.client.Message;
import io.nats.client.NUID;
import io.nats.client.impl.Headers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A worker of a service: receives messages from its subject, as a member of a queue group, and
 * connects again after a loss.
 *
 * <p>One thread serves the messages and never blocks; another receives cancellations, grants and
 * the requests of discovery. The outbox writes the messages that cannot be written at once.
 */
final class NatsListening
    implements Transport.Listening, Reconnection.User<Connection>, NatsConnector.Listener {
  /** The maximum number of bytes that headers add to a frame. */
  private static final int HEADERS = 512;

  /** The maximum number of bytes of requests that wait for the thread that serves them. */
  private static final long QUEUED_BYTES = 64L << 20;

  /**
   * The maximum number of these requests: a small one uses some hundred bytes in addition to its
   * content.
   */
  private static final long QUEUED = 65_536;

  /** The time that replies wait for the next connection after a loss. */
  private static final Duration KEPT = Duration.ofSeconds(10);

  /** The time to wait until the server has stored a dead letter. */
  private static final Duration CONFIRM = Duration.ofSeconds(5);

  /** The number of bytes that are counted for a message in the outbox in addition to its body. */
  private static final int OVERHEAD = 256;

  /** The minimum time between two reports of dropped messages. */
  private static final long REPORTS_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The time limit for starting the messages that have arrived before the end. */
  private static final Duration DRAIN = Duration.ofSeconds(1);

  private final Endpoint endpoint;
  private final NatsAddress address;
  private final String group;
  private final @Nullable Discovery discovery;
  private final Limits limits;
  private final Clock clock;
  private final Transport.Acceptor acceptor;
  private final ChannelInfo info;
  private final Outage outage;
  private final String control;
  private final Statistics statistics;

  /** Null if the service accepts no stored requests. */
  private final @Nullable RequestStream stream;

  private final Outbox outbox;
  private final Reconnection<Connection> connection;

  /** Set by the first connection, whose server limits the size of a frame. */
  private volatile @Nullable Worker worker;

  /** Serves the stored requests, which have a separate limit. */
  private volatile @Nullable Worker stored;

  /**
   * The missing permission to receive requests, of the newest connection; null if it is not
   * missing.
   */
  private volatile @Nullable String denial;

  private final AtomicBoolean closing = new AtomicBoolean();
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

  /** The messages in the outbox. */
  private final AtomicInteger queued = new AtomicInteger();

  /** Null without a connection; written with the lock of this. */
  private volatile @Nullable Session session;

  // Guarded by this.
  private long lostAt;
  private long reportedAt;
  private boolean closed;

  /** The subscriptions of one connection. */
  private record Session(Publisher publisher, List<Dispatcher> requests) {}

  /**
   * Creates a worker that is not connected yet.
   *
   * @param group the queue group
   * @param service the name and the version of the service for {@link Discovery}; null without it
   * @param stores the stream with stored requests; null without one
   */
  NatsListening(
      Endpoint endpoint,
      NatsConnector connector,
      Limits limits,
      Transport.Acceptor acceptor,
      String group,
      @Nullable Service service,
      @Nullable Stores stores) {
    this.endpoint = endpoint;
    this.address = connector.address();
    this.group = group;
    this.limits = limits;
    this.clock = TimeLimits.clock(limits);
    this.acceptor = acceptor;
    this.info = new ChannelInfo(endpoint.scheme(), address.name(), "message");
    this.outage = new Outage("the server", line -> acceptor.refused(info, line));
    String id = NUID.nextGlobal();
    this.control = Names.control(address.subject()) + "." + id;
    this.statistics = new Statistics();
    this.discovery = service == null
        ? null
        : new Discovery(
            service.name(), service.version(), id, address.subject(), group, statistics);
    this.stream = stores == null
        ? null
        : new RequestStream(this, address, group, stores.stream(), stores.most());
    this.outbox = new Outbox("repartee-nats-worker", limits.outboundBytes(), this::failed);
    this.connection = connector.reconnection(this);
  }

  /** The name and the version of a service. */
  record Service(String name, String version) {}

  /** The name of a stream, and the maximum number of its requests that run at the same time. */
  record Stores(String stream, int most) {}

  /** Connects, and starts to receive messages. */
  NatsListening open() throws IOException {
    try {
      connection.open();
    } catch (IOException | RuntimeException e) {
      outbox.close(() -> {});
      throw e;
    }
    if (acceptor.takesConnections()) {
      acceptor.accept(new EventChannel(info, limits, outbox, this::publish));
    }
    return this;
  }

  /** Returns the subject for grants to this worker. */
  String control() {
    return control;
  }

  Clock clock() {
    return clock;
  }

  Statistics statistics() {
    return statistics;
  }

  private Worker worker() {
    return Objects.requireNonNull(worker);
  }

  // ---------------------------------------------------------------- messages to the server

  /** Sends a message to a client, over the next connection if there is currently none. */
  void send(String to, @Nullable Headers headers, byte[] body) {
    if (!sentAtOnce(to, headers, body)) {
      publish(to, null, headers, body);
    }
  }

  /** Sends a message directly if the outbox is empty: this avoids a hand-over to its thread. */
  private boolean sentAtOnce(String to, @Nullable Headers headers, byte[] body) {
    Session open = session;
    try {
      return queued.get() == 0 && open != null && open.publisher.offer(to, null, headers, body);
    } catch (IOException e) {
      return false; // the outbox waits for the next connection, or reports the failure
    }
  }

  /** Sends a request to the server; the answer is sent to another subject. */
  void ask(String subject, String reply, byte[] body) {
    publish(subject, reply, null, body);
  }

  /**
   * Sends a message to the other workers; if there are none, the server reports this to the client.
   */
  void putBack(@Nullable String reply, @Nullable Headers headers, byte[] body) {
    publish(address.subject(), reply, headers, body);
  }

  /** Publishes through the outbox; drops the message if there is no connection soon. */
  private void publish(
      String subject, @Nullable String reply, @Nullable Headers headers, byte[] body) {
    add(body.length, () -> {
      Session open = awaitSession();
      if (open != null) {
        open.publisher.publish(subject, reply, headers, body);
      }
    });
  }

  /** Reports to the operator. */
  void report(String what) {
    acceptor.refused(info, what);
  }

  /**
   * Sends a message to the dead letters, and reports it.
   *
   * @param kept runs after a stream has stored it; null if it need not be stored
   */
  void bury(byte[] body, String reason, @Nullable Runnable kept) {
    acceptor.refused(
        info,
        "a message went to the dead letters '" + Names.deadLetters(address.subject()) + "': "
            + reason);
    String text = reason.replaceAll("[^\\x20-\\x7E]", "?"); // a header is ASCII
    add(body.length, () -> {
      Session open = awaitSession();
      if (open != null) {
        boolean fits = body.length + HEADERS <= open.publisher.most();
        String dead = Names.deadLetters(address.subject());
        Headers headers = new Headers().put(Names.REASON, text);
        byte[] letter = fits ? body : new byte[0];
        if (kept == null) {
          open.publisher.publish(dead, null, headers, letter);
        } else if (isStored(open.publisher.connection().request(dead, headers, letter, CONFIRM))) {
          kept.run();
        } else {
          report("no stream has stored a dead letter on the subject '" + dead
              + "'; the message stays in its stream");
        }
      }
    });
  }

  private static boolean isStored(@Nullable Message answer) {
    StoreAnswer known = answer == null ? null : StoreAnswer.of(answer.getData());
    return known != null && known.error() == null;
  }

  private void add(long size, Outbox.Step step) {
    queued.incrementAndGet();
    try {
      outbox.add(size + OVERHEAD, () -> {
        try {
          step.run();
        } finally {
          queued.decrementAndGet();
        }
      });
    } catch (DisconnectedException e) {
      queued.decrementAndGet(); // the worker has ended
    }
  }

  private void publish(String method, byte[] body) throws IOException {
    Session now = session;
    if (now == null) {
      throw new IOException("an event was lost, because " + address.name() + " is unreachable");
    }
    now.publisher.publish(Names.event(address.subject(), Names.token(method)), null, null, body);
  }

  /** Returns the session; shortly after a loss, waits for the next one. */
  private synchronized @Nullable Session awaitSession() throws InterruptedException {
    while (session == null && !closed) {
      long end = lostAt + KEPT.toNanos();
      if (clock.nanos() >= end) {
        return null;
      }
      clock.await(this, end);
    }
    return session;
  }

  private synchronized void set(@Nullable Session next) {
    if (next == null && session != null) {
      lostAt = clock.nanos();
    }
    session = next;
    notifyAll();
  }

  private void failed(Exception e) {
    acceptor.refused(info, "a message could not be sent: " + Causes.text(e));
  }

  // ---------------------------------------------------------------- messages from the server

  private void serve(Message message) {
    if (isCrowded()) {
      return;
    }
    worker().serve(new NatsDelivery(this, message, null));
  }

  /**
   * Serves a message from the stream, unless its caller no longer waits for the answer: the engine
   * would run an inline method, which has no deadline.
   */
  void serve(StoredRequest request) {
    NatsDelivery delivery = new NatsDelivery(this, request.message(), request);
    if (delivery.isLate()) {
      request.done();
    } else {
      Objects.requireNonNull(stored).serve(delivery);
    }
  }

  /**
   * Returns whether a message must be dropped, because the server reads the answers to earlier ones
   * too slowly. This thread must not wait, and the server has no flow control.
   */
  private boolean isCrowded() {
    if (!outbox.isFull()) {
      return false;
    }
    synchronized (this) {
      long now = clock.nanos();
      if (reportedAt != 0 && now - reportedAt < REPORTS_NANOS) {
        return true;
      }
      reportedAt = now;
    }
    report("messages are dropped, because the server reads the answers to earlier ones too slowly;"
        + " their callers get no answer");
    return true;
  }

  private void controlled(Message message) {
    String key = Names.header(message, Names.REQUEST);
    if (key == null) {
      return;
    }
    boolean cancels = Names.header(message, Names.GRANT) == null;
    for (Worker each : workers()) {
      if (cancels) {
        each.cancel(key);
      } else {
        each.grant(key, Names.number(message, Names.GRANT));
      }
    }
  }

  private List<Worker> workers() {
    Worker other = stored;
    return other == null ? List.of(worker()) : List.of(worker(), other);
  }

  // ---------------------------------------------------------------- the connection

  @Override
  public void opened(Connection connection) throws IOException {
    denial = null;
    Publisher publisher = new Publisher(connection);
    if (worker == null) {
      int most = (int) Math.min(limits.frameBytes(), publisher.most() - HEADERS);
      Limits fitting = limits.toBuilder().frameBytes(most).build();
      FrameService service = acceptor.responder();
      worker = new Worker(service, info, fitting);
      if (stream != null) {
        // No message has to be refused, since the stream delivers only as many as requested.
        stored = new Worker(
            service, info, fitting.toBuilder().runningCalls(Integer.MAX_VALUE).build());
      }
    }
    Dispatcher requests = connection.createDispatcher(this::serve);
    requests.setPendingLimits(QUEUED, QUEUED_BYTES);
    set(new Session(publisher, List.of(requests))); // before the first message arrives
    Dispatcher others = connection.createDispatcher(this::controlled);
    others.subscribe(Names.control(address.subject()));
    others.subscribe(control);
    if (discovery != null) {
      discovery.subscribe(others, (to, body) -> {
        if (!isCrowded()) {
          send(to, null, body);
        }
      });
    }
    if (!closing.get()) { // otherwise this connection is only for the last replies
      requests.subscribe(address.subject(), group);
    }
    if (!publisher.flush()) {
      throw new IOException("the server " + address.broker() + " does not answer");
    }
    String error = denial; // it arrives before the answer to the flush
    if (error != null) {
      throw new IOException("the server " + address.broker() + " says '" + error
          + "'; a worker needs the permission to subscribe to '" + address.subject() + "' and '"
          + Names.control(address.subject()) + ".>'");
    }
    if (stream != null) {
      set(new Session(publisher, List.of(requests, stream.open(connection))));
      stream.fill();
    }
    outage.connected();
  }

  @Override
  public void lost(IOException cause) {
    set(null);
    outage.lost(cause);
  }

  @Override
  public void failed(IOException cause) {
    set(null);
    outage.failed(cause);
  }

  @Override
  public void refused(Connection connection, String error) {
    boolean isSubscription = error.startsWith(NatsConnector.NO_PERMISSION + "Subscription");
    if (isSubscription && !Discovery.isMeant(error)) {
      denial = error;
    } else {
      acceptor.refused(
          info,
          "the server says '" + error + "'"
              + (isSubscription ? "; the option micro=off turns discovery off" : ""));
    }
  }

  @Override
  public void dropped(Connection connection, Consumer consumer) {
    acceptor.refused(
        info,
        "messages were dropped, because the methods of the service that run inline are too"
            + " slow; their callers get no answer");
  }

  // ---------------------------------------------------------------- the end

  /** Returns the endpoint for clients, without the credentials and options of this worker. */
  @Override
  public Endpoint endpoint() {
    return BrokerUri.forClients(endpoint, NatsTransport.OF_WORKERS);
  }

  @Override
  public void close() {
    finish(Duration.ZERO);
  }

  @Override
  public CompletionStage<?> finish(Duration limit) {
    if (!closing.compareAndSet(false, true)) {
      return ended;
    }
    ClosingTime time = new ClosingTime(limits, limit);
    time.atMost(DRAIN, CompletableFuture.runAsync(this::drain, NatsConnector::run))
        .thenCompose(ok -> CompletableFuture.allOf(workers().stream()
            .map(each -> each.finish(time.left()).toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new)))
        .whenComplete((ok, failure) -> {
          awaitNoOther();
          outbox.close(() -> {
            connection.close();
            ended.complete(null);
          });
          time.cut(ended, this::cut);
        });
    return ended;
  }

  private synchronized void awaitNoOther() {
    closed = true;
    notifyAll();
  }

  /** Ends the connection; the outbox ends, too, if it is still waiting for the server. */
  private void cut() {
    awaitNoOther();
    outbox.clear();
    connection.close();
    ended.complete(null);
  }

  /** Stops receiving messages, and starts the messages that have arrived. */
  private void drain() {
    if (stream != null) {
      stream.stop();
    }
    Session now = session;
    if (now == null) {
      return;
    }
    try {
      List<CompletableFuture<Boolean>> ends = new ArrayList<>();
      for (Dispatcher each : now.requests) {
        ends.add(each.drain(DRAIN));
      }
      for (CompletableFuture<Boolean> each : ends) {
        each.get(DRAIN.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      // The connection has ended, or inline methods take too long.
    }
  }
}

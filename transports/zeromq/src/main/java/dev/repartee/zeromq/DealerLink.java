package dev.repartee.zeromq;

import dev.repartee.broker.OutgoingRequest;
import dev.repartee.broker.Reconnection;
import dev.repartee.broker.RequestLink;
import dev.repartee.internal.Clock;
import dev.repartee.limits.TimeLimits;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.zeromq.DealerSession.Outgoing;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests over a DEALER socket, and receives events with a SUB socket. One thread owns the
 * sockets.
 */
final class DealerLink implements RequestLink {
  // Implementation note.
  //
  // Each connection has its own sockets, in a DealerSession. ZeroMQ would reconnect a socket itself
  // and send the messages in its queue over the next connection, although the channel has failed
  // their calls or has sent them again. Its reconnection is therefore switched off, and run() is
  // the loop that reconnects:
  //
  //   connect() --> SERVING --> finish() --> lost() --> pause() --> connect() ...
  //
  // The first connection is made inside open(): if it fails, open() throws and the thread ends. All
  // later ones are tried until close(), with the pauses of Reconnection.BACKOFF. Reconnection
  // itself cannot be used: it connects on a new thread, and the sockets belong to one thread.
  //
  // Threads. The thread of the sockets runs run() and everything in DealerSession. The thread of
  // the channel, and with offer() the threads of callers, only add a message to the SendWindow and
  // hand it over with SocketThread.execute(). Without offer() each call passed the thread of the
  // channel first, which cost one more change of threads.
  //
  // Shared fields. session is null while no message can be sent. A caller may read a session just
  // before it is lost. Then its window is closed and send() fails, or write() drops the message,
  // and lost() fails the call: the channel has recorded it before. events is set before open().
  // closed is written on the thread of the sockets.

  /** The time after which a connection without a greeting is tried again; then twice that. */
  private static final int PATIENCE_MILLIS = 250;

  /** The time in which the socket of the events has to be greeted, for the same reason. */
  static final int SUBSCRIPTION_MILLIS = 4 * PATIENCE_MILLIS;

  private static final int LONGEST_LINGER_MILLIS = 1_000;

  private static final byte[] NOTHING = new byte[0];

  private final Settings settings;
  private final Clock clock;
  private final byte @Nullable [] identity;
  private final String service;
  private final int pub;
  private final List<String> topics;
  private final SocketThread thread;
  private final CompletableFuture<@Nullable Void> opened = new CompletableFuture<>();

  /** Used by the thread of the sockets only. */
  private final EventSubscription.Undelivered undelivered = new EventSubscription.Undelivered();

  private volatile @Nullable Events events;
  private volatile @Nullable DealerSession session;
  private volatile boolean closed;

  /**
   * Creates a link.
   *
   * @param identity the identity of the socket; null for one of each connection
   * @param pub the port of the events; 0 without events
   * @param topics the names of the events to receive; an empty one stands for all
   * @throws IOException if no socket can be opened
   */
  DealerLink(Settings settings, byte @Nullable [] identity, int pub, List<String> topics)
      throws IOException {
    this.settings = settings;
    this.clock = TimeLimits.clock(settings.limits());
    this.identity = identity;
    this.service = settings.address().name();
    this.pub = pub;
    this.topics = topics;
    this.thread = new SocketThread(this::failed);
  }

  /** Connects. */
  void open() throws IOException {
    thread.start("repartee-zeromq-client", this::run);
    try {
      opened.join();
    } catch (CompletionException e) {
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      throw new IOException(String.valueOf(cause.getMessage()), cause);
    }
  }

  /** Reports a fault in the threads of ZeroMQ. */
  private void failed(Throwable fault) {
    Events to = events;
    if (to != null) {
      to.violation("ZeroMQ has failed; if calls get no answer, connect again", fault);
    }
  }

  /** Returns the address of the service for messages. */
  String service() {
    return service;
  }

  boolean isClosed() {
    return closed;
  }

  Events listener() {
    return Objects.requireNonNull(events);
  }

  /** Runs a task on the thread of the sockets. Returns false if that has ended. */
  boolean execute(Runnable task) {
    return thread.execute(task);
  }

  @Override
  public void start(Events events) {
    this.events = events;
  }

  // ---------------------------------------------------------------- the thread of the sockets

  private void run() {
    try {
      int failures = 0;
      for (Duration lasted = serveConnection();
          !opened.isCompletedExceptionally() && !closed;
          lasted = serveConnection()) {
        if (Reconnection.BACKOFF.isStable(lasted)) {
          failures = 0;
        } else {
          pause(Reconnection.BACKOFF.delay(++failures));
        }
      }
    } catch (RuntimeException | Error e) { // such as too little memory
      IOException fault =
          new IOException("the thread of ZeroMQ has ended: " + e + "; connect again", e);
      if (!opened.completeExceptionally(fault)) {
        listener().lost(fault);
        listener().unreachable(fault);
      }
    } finally {
      session = null;
      thread.end();
      opened.completeExceptionally(new IOException("the connection was closed"));
    }
  }

  /**
   * Opens a connection and serves it to its end. Returns the time that it has lasted; zero if it
   * could not be opened.
   */
  private Duration serveConnection() {
    IOException fault;
    long start;
    try (DealerSession next = connect()) {
      start = clock.nanos();
      session = next;
      if (!opened.complete(null)) {
        listener().connected();
      }
      fault = next.serve();
      session = null;
      if (fault == null) {
        long limit = settings.limits().drainTimeout().toMillis();
        next.linger((int) Math.min(LONGEST_LINGER_MILLIS, limit));
        return Duration.ZERO;
      }
      next.finish();
    } catch (IOException e) {
      if (!opened.completeExceptionally(e) && !closed) {
        listener().unreachable(e);
      }
      return Duration.ZERO;
    }
    listener().lost(fault);
    return Duration.ofNanos(clock.nanos() - start);
  }

  /**
   * Connects. JeroMQ sometimes opens a connection and then never writes to it (its issue 1022).
   * Therefore a connection without a greeting is tried again soon; nothing was sent over it.
   */
  private DealerSession connect() throws IOException {
    long end =
        System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Settings.millis(settings.limits()));
    for (int patience = PATIENCE_MILLIS; ; patience *= 2) {
      DealerSession next = new DealerSession(this, settings, thread, pub, topics, undelivered);
      boolean isOpen = false;
      try {
        isOpen = next.connect(identity, patience, end);
        if (isOpen) {
          return next;
        }
      } finally {
        if (!isOpen) {
          next.close();
        }
      }
    }
  }

  private void pause(Duration time) {
    long end = clock.nanos() + time.toNanos();
    Clock.Timer timer = clock.schedule(time, Runnable::run, this::wake);
    thread.run();
    while (!closed && clock.nanos() < end) {
      thread.await();
    }
    timer.cancel();
  }

  private void wake() {
    thread.execute(() -> {});
  }

  // ---------------------------------------------------------------- the thread of the channel

  @Override
  public void send(OutgoingRequest request) {
    if (!send(Header.of(request), request.body())) {
      throw DisconnectedException.closed(service, null);
    }
  }

  @Override
  public boolean offers() {
    return true;
  }

  @Override
  public boolean offer(OutgoingRequest request) {
    DealerSession now = session;
    Outgoing message = Outgoing.of(Header.of(request), request.body());
    return now != null
        && now.window().offer(message.size())
        && thread.execute(() -> now.write(message));
  }

  private boolean send(Header header, byte[] body) {
    DealerSession now = session;
    Outgoing message = Outgoing.of(header, body);
    return now != null
        && now.window().await(message.size())
        && thread.execute(() -> now.write(message));
  }

  @Override
  public void cancel(String key) {
    send(new Header(Header.CANCEL, key), NOTHING);
  }

  @Override
  public void grant(String worker, String key, long bytes) {
    send(new Header(Header.GRANT, key, bytes, 0, false), NOTHING);
  }

  @Override
  public void close() {
    thread.execute(() -> closed = true);
  }
}

package dev.repartee.nats;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.broker.OutgoingRequest;
import dev.repartee.broker.Reconnection;
import dev.repartee.broker.Reply;
import dev.repartee.broker.RequestLink;
import dev.repartee.transport.DisconnectedException;
import io.nats.client.Connection;
import io.nats.client.Connection.Status;
import io.nats.client.Consumer;
import io.nats.client.Dispatcher;
import io.nats.client.Message;
import io.nats.client.impl.Headers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to a subject, and takes the replies from an inbox that nobody else can guess.
 *
 * <p>The reply subject of a request is the inbox with the key of the request. The server reports on
 * it at once if nobody listens on the subject. That is an error at the caller, except shortly after
 * a lost server has come back.
 */
final class NatsRequestLink
    implements RequestLink, Reconnection.User<Connection>, NatsConnector.Listener {
  private static final int NO_RESPONDERS = 503;

  /** The most requests that are remembered until the first sign of a permission. */
  private static final int MOST_UNPROVEN = 1_000;

  /** The most bytes of the acknowledgement of a stream. */
  private static final int STORED_BYTES = 1_000;

  /** The bytes that the headers of a request take at most. */
  private static final int HEADERS = 256;

  /** The bytes of replies that may wait for the thread that delivers them. */
  private static final long QUEUED_BYTES = 64L << 20;

  /**
   * The time after the return of a lost server in which workers connect again, too: the longest
   * pause between their attempts, and a second.
   */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(6);

  /** The pause before a request is sent again in that time, because nobody listens. */
  private static final long RETRY_MILLIS = 50;

  private final NatsAddress address;
  private final List<String> patterns;
  private final String inbox;
  private final int unreadEvents;
  private final Reconnection<Connection> connection;

  private volatile @Nullable Events events;
  private volatile @Nullable Session session;

  /** The missing permission to subscribe, of the newest connection; null if nothing is missing. */
  private volatile @Nullable String denial;

  /** Whether a connection was open before. Used by one thread at a time. */
  private boolean again;

  /** The subscriptions of one connection. */
  private final class Session {
    final Publisher publisher;
    final Dispatcher replies;

    /** Takes the events; null without patterns. */
    final @Nullable Dispatcher news;

    /** Bounds the events that were received and not delivered yet. */
    final Semaphore room = new Semaphore(unreadEvents);

    /** The notifications that the server may not have taken yet. */
    final Queue<String> unconfirmed = new ConcurrentLinkedQueue<>();

    final AtomicBoolean isConfirming = new AtomicBoolean();

    /** The requests that were sent before the first sign that this client may send them. */
    final Queue<String> unproven = new ConcurrentLinkedQueue<>();

    volatile boolean isProven;

    /** The number of keys in {@link #unproven}. Used by the thread of the channel only. */
    private int sentUnproven;

    /** The requests that are sent again if nobody listens yet, by key. */
    final Map<String, OutgoingRequest> early = new ConcurrentHashMap<>();

    /** The time until which the workers may still be connecting again. */
    final long settled;

    Session(Connection connection, boolean again) {
      this.settled = System.nanoTime() + (again ? GRACE_NANOS : 0);
      this.publisher = new Publisher(connection);
      this.replies = connection.createDispatcher(this::replied);
      replies.setPendingLimits(0, QUEUED_BYTES);
      replies.subscribe(inbox + ">");
      this.news = patterns.isEmpty() ? null : connection.createDispatcher(this::happened);
      if (news != null) {
        patterns.forEach(pattern -> news.subscribe(Names.event(address.subject(), pattern)));
      }
    }

    private void replied(Message message) {
      String key = message.getSubject().substring(inbox.length());
      if (!isProven) {
        isProven = true;
        unproven.clear();
      }
      if (message.isStatusMessage()) {
        boolean isUnheard = message.getStatus().getCode() == NO_RESPONDERS;
        if (isUnheard && early.containsKey(key) && isEarly()) {
          NatsConnector.runAfter(RETRY_MILLIS, () -> publishAgain(key));
          return;
        }
        early.remove(key);
        listener()
            .refused(
                key,
                isUnheard
                    ? "nobody listens on the subject '" + address.subject() + "' at "
                        + address.broker() + "; is the service running, and is its name right?"
                    : "the server says '" + message.getStatus().getMessage() + "'");
        return;
      }
      byte[] body = message.getData();
      if (isStored(body)) {
        return; // the answer of the worker follows
      }
      early.remove(key);
      String worker = Names.header(message, Names.MORE);
      listener().reply(new Reply(key, body, worker != null, worker));
    }

    /** Returns whether a reply only tells that a stream of JetStream has stored the request. */
    private boolean isStored(byte[] body) {
      if (body.length > STORED_BYTES) {
        return false;
      }
      String text = new String(body, UTF_8);
      return text.startsWith("{\"stream\":") && !text.contains("\"jsonrpc\"");
    }

    /** Takes an event; waits while too many are not delivered, so that the library drops some. */
    private void happened(Message message) throws InterruptedException {
      room.acquire();
      listener().event(message.getData(), room::release);
    }

    void publish(OutgoingRequest request) throws IOException {
      String key = request.key();
      byte[] body = request.body();
      if (body.length + HEADERS > publisher.most()) {
        listener().refused(key, tooLarge(body.length));
        return;
      }
      if (!request.expectsReply()) {
        publisher.publish(address.subject(), null, null, body);
        confirm(key);
        return;
      }
      if (!isProven) {
        unproven.add(key);
        isProven = ++sentUnproven > MOST_UNPROVEN; // an error would have come meanwhile
      }
      if (isEarly()) {
        early.put(key, request);
      }
      publisher.publish(address.subject(), inbox + key, headers(request), body);
      listener().accepted(key);
    }

    private boolean isEarly() {
      return System.nanoTime() - settled < 0;
    }

    private void publishAgain(String key) {
      OutgoingRequest request = early.get(key);
      if (request != null) { // otherwise it was cancelled
        try {
          publisher.publish(address.subject(), inbox + key, headers(request), request.body());
        } catch (IOException e) {
          // The connection was lost; lost() follows.
        }
      }
    }

    private String tooLarge(int length) {
      return "the message has " + length + " bytes; the server " + address.broker() + " takes "
          + (publisher.most() - HEADERS) + " (its max_payload, less the headers)";
    }

    private Headers headers(OutgoingRequest request) {
      Headers headers = new Headers();
      headers.put(Names.WINDOW, String.valueOf(request.window()));
      if (request.millis() > 0) {
        headers.put(Names.TIMEOUT, String.valueOf(request.millis()));
      }
      if (request.idempotent()) {
        headers.put(Names.IDEMPOTENT, "true");
      }
      return headers;
    }

    /** Reports a notification once the server has taken it. */
    private void confirm(String key) {
      unconfirmed.add(key);
      if (isConfirming.compareAndSet(false, true)) {
        NatsConnector.run(this::confirmAll);
      }
    }

    private void confirmAll() {
      while (true) {
        List<String> keys = new ArrayList<>();
        for (String key = unconfirmed.poll(); key != null; key = unconfirmed.poll()) {
          keys.add(key);
        }
        if (keys.isEmpty()) {
          isConfirming.set(false);
          if (unconfirmed.isEmpty() || !isConfirming.compareAndSet(false, true)) {
            return;
          }
        } else if (!isTaken()) {
          return; // lost() settles them
        } else {
          keys.forEach(listener()::accepted);
        }
      }
    }

    private boolean isTaken() {
      try {
        while (publisher.connection().getStatus() == Status.CONNECTED) {
          if (publisher.flush()) {
            return true;
          }
        }
      } catch (IOException e) {
        // Nobody interrupts this thread but the end of the JVM.
      }
      return false;
    }
  }

  /**
   * Creates a link.
   *
   * @param patterns the patterns of the events to subscribe to
   * @param inbox the start of the reply subjects, which ends with a dot
   * @param unreadEvents the number of events that may wait to be delivered
   */
  NatsRequestLink(NatsConnector connector, List<String> patterns, String inbox, int unreadEvents) {
    this.address = connector.address();
    this.patterns = patterns;
    this.inbox = inbox;
    this.unreadEvents = unreadEvents;
    this.connection = new Reconnection<>(
        "repartee-nats-reconnect",
        ended -> connector.connect(this, ended),
        NatsConnector::end,
        this);
  }

  /** Connects. */
  void open() throws IOException {
    connection.open();
  }

  private Events listener() {
    return Objects.requireNonNull(events);
  }

  @Override
  public void start(Events events) {
    this.events = events;
  }

  @Override
  public void send(OutgoingRequest request) {
    Session now = session;
    if (now == null || now.publisher.connection().getStatus() != Status.CONNECTED) {
      throw DisconnectedException.closed(address.name(), null);
    }
    try {
      now.publish(request);
    } catch (IOException e) {
      // The connection was lost while the message was written; lost() follows.
    }
  }

  @Override
  public void cancel(String key) {
    Session now = session;
    if (now != null) {
      now.early.remove(key);
    }
    control(Names.control(address.subject()), new Headers().put(Names.REQUEST, inbox + key));
  }

  @Override
  public void grant(String worker, String key, long bytes) {
    if (worker.startsWith(Names.control(address.subject()) + ".")) {
      control(
          worker,
          new Headers().put(Names.REQUEST, inbox + key).put(Names.GRANT, String.valueOf(bytes)));
    }
  }

  private void control(String subject, Headers headers) {
    Session now = session;
    if (now != null) {
      try {
        now.publisher.publish(subject, null, headers, new byte[0]);
      } catch (IOException e) {
        // The connection has ended, and the request with it.
      }
    }
  }

  @Override
  public void close() {
    connection.close();
  }

  // ---------------------------------------------------------------- the connection

  @Override
  public void opened(Connection connection) throws IOException {
    denial = null;
    Session opened = new Session(connection, again);
    if (!opened.publisher.flush()) {
      throw new IOException("the server " + address.broker() + " does not answer");
    }
    String error = denial; // it arrives before the answer to the flush
    if (error != null) {
      throw new IOException("the server " + address.broker() + " says '" + error
          + "'; the option inbox names a prefix of reply subjects that this user may subscribe to");
    }
    session = opened;
    if (again) {
      listener().connected();
    }
    again = true;
  }

  @Override
  public void lost(IOException cause) {
    session = null;
    listener().lost(cause);
  }

  @Override
  public void failed(IOException cause) {
    listener().unreachable(cause);
  }

  @Override
  public void refused(Connection connection, String error) {
    if (error.startsWith(NatsConnector.NO_PERMISSION + "Subscription")) {
      denial = error;
      return;
    }
    Session now = session;
    String denied = NatsConnector.NO_PERMISSION + "Publish to \"" + address.subject() + "\"";
    if (now == null || now.publisher.connection() != connection || !error.startsWith(denied)) {
      listener().violation("the server " + address.broker() + " says '" + error + "'", null);
      return;
    }
    for (String key = now.unproven.poll(); key != null; key = now.unproven.poll()) {
      listener()
          .refused(
              key,
              "this user has no permission to publish to '" + address.subject() + "' at "
                  + address.broker());
    }
  }

  @Override
  public void dropped(Connection connection, Consumer consumer) {
    Session now = session;
    if (now == null || now.publisher.connection() != connection) {
      return;
    }
    if (consumer == now.replies) {
      // Nobody can tell which replies, so that all calls are settled as those of a lost connection.
      this.connection.lose(
          connection, new IOException("replies were dropped, because they were not taken in time"));
    } else {
      listener()
          .violation(
              "events of " + address.name() + " were dropped, because they were not taken in time",
              null);
    }
  }
}

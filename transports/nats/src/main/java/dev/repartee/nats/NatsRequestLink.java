package dev.repartee.nats;

import dev.repartee.broker.OutgoingRequest;
import dev.repartee.broker.ReconnectingLink;
import dev.repartee.broker.Reconnection;
import dev.repartee.broker.Reply;
import dev.repartee.internal.Clock;
import dev.repartee.transport.DisconnectedException;
import io.nats.client.Connection;
import io.nats.client.Connection.Status;
import io.nats.client.Consumer;
import io.nats.client.Dispatcher;
import io.nats.client.Message;
import io.nats.client.impl.Headers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to a subject, and receives the replies in an inbox with an unpredictable name.
 *
 * <p>The reply subject of a request is the inbox with the key of the request. If no worker listens
 * on the subject, the server immediately reports this to the reply subject. This is an error for
 * the caller, except shortly after the connection to a lost server was restored.
 */
final class NatsRequestLink extends ReconnectingLink<Connection, NatsRequestLink.Session>
    implements NatsConnector.Listener {
  private static final int NO_RESPONDERS = 503;

  /** The maximum number of requests that are stored until the permission to send is confirmed. */
  private static final int MOST_UNPROVEN = 1_000;

  /** The maximum size of the headers of a request besides those of its caller, in bytes. */
  private static final int HEADERS = 768;

  /** The size of a header besides its name and value: a colon and a line end. */
  private static final int SEPARATORS = 3;

  // Headers of JetStream.
  private static final String EXPECTED_STREAM = "Nats-Expected-Stream";
  private static final String MESSAGE_ID = "Nats-Msg-Id";

  /** The maximum number of bytes of replies that wait for the thread that delivers them. */
  private static final long QUEUED_BYTES = 64L << 20;

  /**
   * The maximum number of these replies: a small one uses some hundred bytes in addition to its
   * content.
   */
  private static final long QUEUED = 131_072;

  /**
   * The time until workers have also connected again after a lost server has returned: the longest
   * pause between their attempts, plus one second.
   */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(6);

  /** The pause before a request is sent again within that time, because no worker listens yet. */
  private static final Duration RETRY = Duration.ofMillis(50);

  private final NatsAddress address;
  private final Clock clock;
  private final List<String> patterns;
  private final String inbox;
  private final int unreadEvents;

  /** The stream that stores notifications and idempotent requests; null without one. */
  private final @Nullable String stream;

  private final Reconnection<Connection> connection;

  /** The missing permission to subscribe, of the newest connection; null if nothing is missing. */
  private volatile @Nullable String denial;

  /** The subscriptions of one connection. */
  final class Session {
    final Publisher publisher;
    final Dispatcher replies;

    /** Receives the events; null without patterns. */
    final @Nullable Dispatcher news;

    /** Limits the events that were received and not delivered yet. */
    final Semaphore room = new Semaphore(unreadEvents);

    /** The notifications that the server may not have received yet. */
    final Queue<String> unconfirmed = new ConcurrentLinkedQueue<>();

    final AtomicBoolean isConfirming = new AtomicBoolean();

    /** The subjects that this client has the permission to publish to. */
    final Set<String> proven = ConcurrentHashMap.newKeySet();

    /** The subjects of the requests that were sent before the permission was confirmed, by key. */
    final Map<String, String> unproven = new ConcurrentHashMap<>();

    /** The requests that a stream has not confirmed yet. */
    final Set<String> unstored = ConcurrentHashMap.newKeySet();

    /** The requests that are sent again if no worker listens yet, by key. */
    final Map<String, OutgoingRequest> early = new ConcurrentHashMap<>();

    /** The time until which the workers may still be connecting again. */
    final long settled;

    Session(Connection connection, boolean again) {
      this.settled = clock.nanos() + (again ? GRACE_NANOS : 0);
      this.publisher = new Publisher(connection);
      this.replies = connection.createDispatcher(this::replied);
      replies.setPendingLimits(QUEUED, QUEUED_BYTES);
      replies.subscribe(inbox + ">");
      this.news = patterns.isEmpty() ? null : connection.createDispatcher(this::happened);
      if (news != null) {
        patterns.forEach(pattern -> news.subscribe(Names.event(address.subject(), pattern)));
      }
    }

    private void replied(Message message) {
      String key = message.getSubject().substring(inbox.length());
      String subject = unproven.isEmpty() ? null : unproven.get(key);
      if (subject != null) {
        proven.add(subject);
        unproven.values().removeIf(subject::equals);
      }
      if (message.isStatusMessage()) {
        boolean isUnheard = message.getStatus().getCode() == NO_RESPONDERS;
        if (isUnheard && early.containsKey(key) && isEarly()) {
          clock.schedule(RETRY, NatsConnector::run, () -> publishAgain(key));
          return;
        }
        early.remove(key);
        boolean isStored = unstored.remove(key);
        if (isUnheard) {
          unheard(key, isStored);
        } else {
          listener().unanswered(key, "the server says '" + message.getStatus().getMessage() + "'");
        }
        return;
      }
      byte[] body = message.getData();
      StoreAnswer known = StoreAnswer.of(body);
      if (known != null) {
        stored(key, known);
        return; // the answer of the worker follows
      }
      unstored.remove(key);
      early.remove(key);
      String worker = Names.header(message, Names.MORE);
      listener().reply(new Reply(key, body, worker != null, worker));
    }

    private void unheard(String key, boolean isStored) {
      listener()
          .refused(
              key,
              isStored ? "no stream stores it" : "no worker listens",
              isStored
                  ? "no stream stores the subject '" + Names.stored(address.subject()) + "' at "
                      + address.broker() + "; a worker with the option stream=" + stream
                      + " creates it"
                  : "nobody listens on the subject '" + address.subject() + "' at "
                      + address.broker() + "; is the service running, and is its name right?");
    }

    private void stored(String key, StoreAnswer known) {
      if (!unstored.remove(key)) {
        return; // a stream records the subject of the requests
      }
      early.remove(key);
      if (known.error() == null) {
        listener().accepted(key);
      } else {
        listener()
            .refused(
                key,
                "the stream does not store it, or is full",
                "the stream '" + stream + "' at " + address.broker()
                    + " does not store the message: the server says '" + known.error()
                    + "'; it may have another name, or be full, because the workers are too slow or"
                    + " too few");
      }
    }

    /**
     * Receives an event; waits while too many are undelivered, so that the library drops events.
     */
    private void happened(Message message) throws InterruptedException {
      room.acquire();
      listener().event(message.getData(), room::release);
    }

    void publish(OutgoingRequest request) throws IOException {
      String key = request.key();
      byte[] body = request.body();
      if (!fits(request)) {
        listener().refused(key, "it is too large for the broker", tooLarge(request));
        return;
      }
      boolean isStored = isStored(request);
      if (!request.expectsReply() && !isStored) {
        boolean hasHeaders = !request.headers().isEmpty();
        publisher.publish(address.subject(), null, hasHeaders ? headers(request) : null, body);
        confirm(key);
        return;
      }
      if (!proven.contains(subject(request)) && unproven.size() < MOST_UNPROVEN) {
        unproven.put(key, subject(request));
      }
      if (isEarly()) {
        early.put(key, request);
      }
      if (isStored) {
        unstored.add(key);
      }
      publisher.publish(subject(request), inbox + key, headers(request), body);
      if (!isStored) {
        listener().accepted(key);
      }
    }

    /** Publishes a request that needs no bookkeeping, if this is possible without waiting. */
    boolean offer(OutgoingRequest request) throws IOException {
      String subject = address.subject();
      String key = request.key();
      boolean isUsual = request.expectsReply()
          && !isStored(request)
          && proven.contains(subject)
          && !isEarly()
          && fits(request);
      if (!isUsual || !publisher.offer(subject, inbox + key, headers(request), request.body())) {
        return false;
      }
      listener().accepted(key);
      return true;
    }

    private boolean fits(OutgoingRequest request) {
      return request.body().length <= most(request);
    }

    /** Returns the maximum size of the body of a request. */
    private long most(OutgoingRequest request) {
      dev.repartee.transport.Headers own = request.headers();
      return publisher.most() - HEADERS - own.size() - SEPARATORS * own.fields().size();
    }

    private boolean isStored(OutgoingRequest request) {
      return stream != null && (request.idempotent() || !request.expectsReply());
    }

    private String subject(OutgoingRequest request) {
      return isStored(request) ? Names.stored(address.subject()) : address.subject();
    }

    private boolean isEarly() {
      return clock.nanos() < settled;
    }

    private void publishAgain(String key) {
      OutgoingRequest request = early.get(key);
      if (request != null) { // otherwise it was cancelled
        try {
          publisher.publish(subject(request), inbox + key, headers(request), request.body());
        } catch (IOException e) {
          // The connection was lost; lost() follows.
        }
      }
    }

    private String tooLarge(OutgoingRequest request) {
      return "the message has " + request.body().length + " bytes; the server " + address.broker()
          + " takes " + most(request) + " (its max_payload, less the headers)";
    }

    private Headers headers(OutgoingRequest request) {
      Map<String, String> own = request.headers().fields();
      Headers headers = request.expectsReply()
          ? Names.request(own, request.window(), request.millis(), request.idempotent())
          : Names.of(own);
      if (isStored(request)) {
        headers.put(EXPECTED_STREAM, stream);
        if (request.expectsReply()) {
          headers.put(Names.REPLY, inbox + request.key());
        } else {
          headers.put(MESSAGE_ID, request.key()); // it may be sent again after a loss
        }
      }
      return headers;
    }

    /** Reports a notification after the server has received it. */
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
        // Only the end of the JVM interrupts this thread.
      }
      return false;
    }
  }

  /**
   * Creates a link.
   *
   * @param patterns the patterns of the events to subscribe to
   * @param inbox the prefix of the reply subjects, which ends with a dot
   * @param unreadEvents the maximum number of undelivered events
   * @param stream the stream that stores notifications and idempotent requests; null without one
   */
  NatsRequestLink(
      NatsConnector connector,
      List<String> patterns,
      String inbox,
      int unreadEvents,
      @Nullable String stream) {
    this.address = connector.address();
    this.clock = connector.clock();
    this.patterns = patterns;
    this.inbox = inbox;
    this.unreadEvents = unreadEvents;
    this.stream = stream;
    this.connection = connector.reconnection(this);
  }

  /** Connects. */
  void open() throws IOException {
    connection.open();
  }

  @Override
  public void send(OutgoingRequest request) {
    Session now = session();
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
  public boolean dropsCopies() {
    return stream != null;
  }

  @Override
  public boolean offers() {
    return true;
  }

  @Override
  public boolean offer(OutgoingRequest request) {
    Session now = session();
    if (now == null || now.publisher.connection().getStatus() != Status.CONNECTED) {
      return false;
    }
    try {
      return now.offer(request);
    } catch (IOException e) {
      return true; // the connection was lost while the message was written; lost() follows
    }
  }

  @Override
  public void cancel(String key) {
    Session now = session();
    if (now != null) {
      now.early.remove(key);
      now.unproven.remove(key);
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
    Session now = session();
    if (now != null) {
      try {
        now.publisher.publish(subject, null, headers, new byte[0]);
      } catch (IOException e) {
        // The connection has ended, and with it the request.
      }
    }
  }

  @Override
  public void close() {
    super.close();
    connection.close();
  }

  // ---------------------------------------------------------------- the connection

  @Override
  protected Session openSession(Connection connection, boolean again) throws IOException {
    denial = null;
    Session opened = new Session(connection, again);
    if (!opened.publisher.flush()) {
      throw new IOException("the server " + address.broker() + " does not answer");
    }
    String error = denial; // it arrives before the answer to the flush
    if (error != null) {
      throw new IOException("the server " + address.broker() + " says '" + error
          + "'; the option inbox sets a prefix of reply subjects that this user may subscribe to");
    }
    return opened;
  }

  @Override
  public void refused(Connection connection, String error) {
    if (error.startsWith(NatsConnector.NO_PERMISSION + "Subscription")) {
      denial = error;
      return;
    }
    Session now = session();
    String denied = NatsConnector.NO_PERMISSION + "Publish to \"";
    String subject = error.startsWith(denied) ? error.substring(denied.length()) : "";
    subject = subject.substring(0, Math.max(0, subject.indexOf('"')));
    boolean isOurs =
        subject.equals(address.subject()) || subject.equals(Names.stored(address.subject()));
    if (now == null || now.publisher.connection() != connection || !isOurs) {
      listener().violation("the server " + address.broker() + " says '" + error + "'", null);
      return;
    }
    for (Map.Entry<String, String> each : now.unproven.entrySet()) {
      if (each.getValue().equals(subject) && now.unproven.remove(each.getKey()) != null) {
        now.unstored.remove(each.getKey());
        // The permission may have been withdrawn after the server received the message.
        listener()
            .unanswered(
                each.getKey(),
                "this user has no permission to publish to '" + subject + "' at "
                    + address.broker());
      }
    }
  }

  @Override
  public void dropped(Connection connection, Consumer consumer) {
    Session now = session();
    if (now == null || now.publisher.connection() != connection) {
      return;
    }
    if (consumer == now.replies) {
      // The lost replies cannot be identified, so all pending calls fail as if the connection was
      // lost.
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

package dev.repartee.zeromq;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.broker.Reply;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;
import zmq.Msg;
import zmq.ZMQ.Event;

/**
 * One connection of a {@link DealerLink}: its DEALER socket, the socket that watches it, and with
 * events a SUB socket. Used by the thread of the sockets, except {@link #window()}.
 */
final class DealerSession implements AutoCloseable {
  // Implementation note.
  //
  // States. ZeroMQ hides connections behind its queues: a socket accepts messages before a service
  // has answered. This class must know when the service is really connected, because only then may
  // the channel treat a call as sent. It learns this from the events of the monitor socket
  // (watch()), and from the time that has passed.
  //
  //                greeting of the service         no refusal of the keys within
  //                                                KEY_REFUSAL_MILLIS, or no keys are used
  //   CONNECTING -------------------------> GREETED ----------------------> ADMITTED
  //                                                                             | subscriptions
  //                                                                             | confirmed
  //                                                   the connection is lost    v
  //                                  FINISHING <---------------------------- SERVING
  //
  // If a connection fails before SERVING, connect() throws, and the link closes the session.
  // CONNECTING has a limit below the connect timeout (patience), see DealerLink.connect().
  //
  // ADMITTED needs a time because a service with CURVE refuses the keys of a client after the
  // handshake, by closing the connection; acceptance has no sign. The first request cannot be the
  // test: if the connection ended after it, its outcome would be unknown.
  //
  // FINISHING receives the replies that had arrived before the loss. ZeroMQ has read them into its
  // queue, and adds the message "disconnected" after the last one (ZMQ_HICCUP_MSG). Without this
  // step the channel would fail calls, or send them again, although their replies have arrived.
  //
  // Messages. An Outgoing message waits in "queue" until ZeroMQ accepts it. ZeroMQ's own queue is
  // short, since its limit counts messages, not bytes. A notification then waits in "notes" for the
  // confirmation of the service, or for NOTE_SIGN_MILLIS; services of other software send none.
  //
  // Invariants:
  //   - window counts exactly the messages that a caller has added and flush() has not sent.
  //   - notes is sorted by time, since all entries have the same limit and are added at the end.
  //   - Only the first frame of a message is refused by ZeroMQ, when its queue is full. Therefore
  //     flush() ignores the results for the others.
  //
  // Times. They bound waits for input of ZeroMQ, whose threads and services know no other time than
  // that of the system. The Clock of Limits is therefore not used here.
  //
  // Locks. Only window has one. The thread of the sockets enters write() as a task of SocketThread.

  private enum State {
    /** The service has sent nothing. */
    CONNECTING,
    /** The service speaks ZeroMQ; it may still refuse the keys. */
    GREETED,
    /** The service has accepted the connection; the subscriptions may not have arrived. */
    ADMITTED,
    /** Messages are sent and received. */
    SERVING,
    /** The connection is lost; replies that had arrived are received. */
    FINISHING
  }

  /** The time after which ZeroMQ connects again: so long that it never does. */
  private static final int NEVER_MILLIS = Integer.MAX_VALUE / 4;

  /** An encrypted service refuses the keys of a client within this time. */
  private static final int KEY_REFUSAL_MILLIS = 300;

  /**
   * After this time, a notification counts as delivered even without a confirmation of the service.
   */
  private static final int NOTE_SIGN_MILLIS = 1_000;

  /** The longest time to receive the replies that arrived before a loss. */
  private static final int FINISH_MILLIS = 1_000;

  /** The pause before the next attempt to send while ZeroMQ accepts nothing. */
  private static final int RETRY_MILLIS = 2;

  /** The messages that are received before calls are sent. */
  private static final int BURST = 100;

  private static final byte[] NOTHING = new byte[0];

  private static final int WATCHED = ZMQ.EVENT_CONNECTED
      | ZMQ.EVENT_CONNECT_RETRIED
      | ZMQ.EVENT_CLOSED
      | ZMQ.EVENT_DISCONNECTED
      | ZMQ.EVENT_HANDSHAKE_PROTOCOL
      | zmq.ZMQ.ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
      | zmq.ZMQ.ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

  /** A message to the service. */
  record Outgoing(Header header, byte[] head, byte[] body) {
    /** The bytes that a message counts besides its text, for its objects. */
    private static final int OVERHEAD = 256;

    static Outgoing of(Header header, byte[] body) {
      return new Outgoing(header, header.toBytes(), body);
    }

    long size() {
      return OVERHEAD + body.length;
    }
  }

  private final DealerLink link;
  private final Settings settings;
  private final String service;
  private final SocketThread thread;
  private final int pub;
  private final SocketPoller poller = SocketThread.poller();
  private final List<ZMQ.Socket> sockets;
  private final ZMQ.Socket dealer;
  private final ZMQ.Socket monitor;
  private final @Nullable EventSubscription subscription;
  private final SendWindow window;

  /**
   * The message that ZeroMQ delivers when the connection ends. It is random; otherwise the service
   * could forge it.
   */
  private final byte[] disconnected = UUID.randomUUID().toString().getBytes(ISO_8859_1);

  /** The messages that ZeroMQ has not accepted. */
  private final Deque<Outgoing> queue = new ArrayDeque<>();

  /** The notifications that the service has not confirmed, and the times up to which they wait. */
  private final Map<String, Long> notes = new LinkedHashMap<>();

  private State state = State.CONNECTING;
  private boolean hasReceivedAll;

  /** The reason for the loss of the connection; null while there is none. */
  private @Nullable IOException fault;

  /**
   * Opens the sockets.
   *
   * @param pub the port of the events; 0 without events
   * @param topics the events to receive
   * @throws IOException if a socket cannot be opened; the message names the remedy
   */
  DealerSession(
      DealerLink link,
      Settings settings,
      SocketThread thread,
      int pub,
      List<String> topics,
      EventSubscription.Undelivered undelivered)
      throws IOException {
    this.link = link;
    this.settings = settings;
    this.service = link.service();
    this.thread = thread;
    this.pub = pub;
    this.window = new SendWindow(settings.limits().outboundBytes());
    try {
      sockets = pub == 0
          ? thread.sockets(SocketType.DEALER, SocketType.PAIR)
          : thread.sockets(SocketType.DEALER, SocketType.PAIR, SocketType.SUB);
    } catch (IOException e) {
      poller.close();
      throw e;
    }
    dealer = sockets.get(0);
    monitor = sockets.get(1);
    subscription =
        pub == 0 ? null : new EventSubscription(link, sockets.get(2), topics, undelivered);
  }

  /** Returns the bytes of the messages that ZeroMQ has not accepted. Any thread may use it. */
  SendWindow window() {
    return window;
  }

  // ---------------------------------------------------------------- the begin

  /**
   * Connects.
   *
   * @param identity the identity of the socket; null for a random one
   * @param patience the time for the service's greeting, in milliseconds
   * @param end the time when connecting fails
   * @return false if the service does not greet in time
   */
  boolean connect(byte @Nullable [] identity, int patience, long end) throws IOException {
    settings.apply(dealer, Settings.MESSAGES);
    if (identity != null) {
      dealer.setIdentity(identity);
    }
    dealer.setReconnectIVL(NEVER_MILLIS);
    dealer.base().setSocketOpt(zmq.ZMQ.ZMQ_HICCUP_MSG, disconnected);
    String name = "inproc://monitor-" + UUID.randomUUID();
    if (!dealer.monitor(name, WATCHED)) {
      throw new IOException("the events of the connection cannot be watched");
    }
    monitor.connect(name);
    poller.register(thread.woken());
    poller.register(dealer);
    poller.register(monitor);
    try {
      dealer.connect(settings.address().toZmq());
      if (subscription != null) {
        subscription.connect(settings, pub, DealerLink.SUBSCRIPTION_MILLIS);
        poller.register(subscription.socket());
      }
    } catch (ZMQException | IllegalArgumentException e) {
      throw new IOException("cannot connect to " + service + ": " + e.getMessage(), e);
    }
    return awaitConnection(patience, end);
  }

  private boolean awaitConnection(int patience, long end) throws IOException {
    long start = System.nanoTime();
    thread.run();
    while (!link.isClosed()) {
      watch();
      if (fault != null) {
        throw fault;
      }
      long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      if (state == State.GREETED && passed >= refusalMillis()) {
        state = State.ADMITTED;
      }
      if (state == State.ADMITTED && (subscription == null || subscription.isConfirmed())) {
        state = State.SERVING;
        return true;
      }
      if (state == State.CONNECTING && passed >= patience) {
        return false;
      }
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        throw timedOut();
      }
      long next = switch (state) {
        case CONNECTING -> patience - passed;
        case GREETED -> refusalMillis() - passed;
        default -> left;
      };
      poller.poll(Math.max(1, Math.min(next, left)));
      receiveEvents();
      thread.run();
    }
    throw new IOException("the connection was closed");
  }

  private int refusalMillis() {
    return settings.curve() == null ? 0 : KEY_REFUSAL_MILLIS;
  }

  private IOException timedOut() {
    return new IOException(
        state == State.CONNECTING
            ? "no ZeroMQ service answers at " + service + " within "
                + Settings.millis(settings.limits()) + " ms"
            : "nobody publishes events of " + service + " on port " + pub);
  }

  /** Reads the events of the connection. */
  private void watch() {
    for (Event next = Event.read(monitor.base(), ZMQ.DONTWAIT);
        next != null;
        next = Event.read(monitor.base(), ZMQ.DONTWAIT)) {
      switch (next.event) {
        case ZMQ.EVENT_HANDSHAKE_PROTOCOL -> greeted();
        case zmq.ZMQ.ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, zmq.ZMQ.ZMQ_EVENT_HANDSHAKE_FAILED_AUTH ->
          fail(keysRefused());
        case ZMQ.EVENT_DISCONNECTED -> fail(endedBy());
        case ZMQ.EVENT_CONNECT_RETRIED, ZMQ.EVENT_CLOSED ->
          fail("nobody listens on " + service + "; is the service running?");
        default -> {}
      }
    }
  }

  private void greeted() {
    if (state == State.CONNECTING) {
      state = State.GREETED;
    }
  }

  private String keysRefused() {
    return "the service " + service + " has refused the keys of this client, or is not the one of"
        + " the key in " + CurveKeys.SERVER;
  }

  private String endedBy() {
    if (state == State.SERVING) {
      return "the service " + service + " has ended the connection, or does not answer";
    }
    return settings.curve() == null
        ? "the service " + service + " has ended the connection before its begin; is it a ZeroMQ"
            + " service, and does it accept connections without keys?"
        : keysRefused();
  }

  private void fail(String reason) {
    if (fault == null) {
      fault = new IOException(reason);
    }
  }

  // ---------------------------------------------------------------- the connection

  /** Sends and receives until the link is closed or the connection is lost; returns the reason. */
  @Nullable IOException serve() {
    thread.run();
    while (!link.isClosed() && fault == null) {
      poller.poll(pollMillis());
      watch();
      flush();
      for (int i = 0; i < BURST && receive(); i++) {
        // Calls are sent after the burst.
      }
      receiveEvents();
      acceptOldNotes();
      thread.run();
    }
    return fault;
  }

  /** Returns the longest time to wait for input. ZeroMQ does not signal that it accepts output. */
  private int pollMillis() {
    if (!queue.isEmpty()) {
      return RETRY_MILLIS;
    }
    return notes.isEmpty() ? -1 : NOTE_SIGN_MILLIS / 2;
  }

  /** Receives a message; returns false if there is none. */
  private boolean receive() {
    Msg frame = FrameMemory.receive(dealer, ZMQ.DONTWAIT);
    if (frame == null) {
      return false;
    }
    byte[] first = frame.data();
    byte[] last = first;
    Header header = null;
    int frames = 1;
    for (; frame.hasMore(); frames++) {
      frame = Objects.requireNonNull(FrameMemory.receive(dealer, 0));
      last = frame.data();
      if (frames == 1 && last.length == 0 && Header.isHeader(first)) {
        header = Header.parse(first);
      }
    }
    if (frames == 1 && Arrays.equals(first, disconnected)) {
      hasReceivedAll = true;
    } else if (FrameMemory.isDropped(frame)) {
      dropped(header);
    } else {
      received(header, last);
    }
    return true;
  }

  private void dropped(@Nullable Header header) {
    String reason = "an answer of " + service + " was dropped, because all connections together"
        + " hold as much as they may, the limit heldBytes";
    if (header == null) {
      link.listener().violation(reason, null);
    } else {
      link.listener().unanswered(header.key(), reason);
    }
  }

  private void received(@Nullable Header header, byte[] body) {
    if (header == null) {
      if (body.length > 0) {
        link.listener().reply(new Reply(null, body, false, null)); // its id identifies the call
      }
    } else if (header.kind().equals(Header.NOTE)) {
      if (notes.remove(header.key()) != null) {
        link.listener().accepted(header.key());
      }
    } else {
      boolean more = header.kind().equals(Header.MORE);
      link.listener().reply(new Reply(header.key(), body, more, more ? service : null));
    }
  }

  private void receiveEvents() {
    if (subscription != null) {
      subscription.receive(settings.limits());
    }
  }

  /**
   * Treats notifications as delivered if they were not confirmed within {@code NOTE_SIGN_MILLIS}.
   */
  private void acceptOldNotes() {
    if (notes.isEmpty()) {
      return;
    }
    long now = System.nanoTime();
    for (Iterator<Map.Entry<String, Long>> each = notes.entrySet().iterator(); each.hasNext(); ) {
      Map.Entry<String, Long> note = each.next();
      if (note.getValue() - now > 0) {
        return;
      }
      each.remove();
      link.listener().accepted(note.getKey());
    }
  }

  /** Sends a message, after those that wait. The caller has added it to the window. */
  void write(Outgoing message) {
    if (state == State.SERVING) {
      queue.add(message);
      flush();
    }
  }

  private void flush() {
    for (Outgoing next = queue.peek(); next != null; next = queue.peek()) {
      if (!dealer.send(next.head, ZMQ.SNDMORE | ZMQ.DONTWAIT)) {
        return;
      }
      dealer.send(NOTHING, ZMQ.SNDMORE | ZMQ.DONTWAIT);
      dealer.send(next.body, ZMQ.DONTWAIT);
      queue.remove();
      sent(next);
    }
  }

  private void sent(Outgoing message) {
    window.remove(message.size());
    String key = message.header.key();
    switch (message.header.kind()) {
      case Header.NOTE ->
        notes.put(key, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(NOTE_SIGN_MILLIS));
      case Header.CALL -> {
        // An idempotent call is sent again after a loss, and may be the cause of the loss. The
        // channel counts the losses of a call only until it is reported as accepted.
        if (!message.header.idempotent()) {
          link.listener().accepted(key);
        }
      }
      default -> {}
    }
  }

  // ---------------------------------------------------------------- the end

  /** Receives the replies that arrived before the loss. Sends nothing any more. */
  void finish() {
    state = State.FINISHING;
    window.close();
    poller.unregister(thread.woken());
    poller.unregister(monitor);
    if (subscription != null) {
      poller.unregister(subscription.socket());
    }
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(FINISH_MILLIS);
    for (long left = FINISH_MILLIS; !hasReceivedAll && left > 0; ) {
      if (!receive()) {
        poller.poll(left);
        left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      }
    }
  }

  /** Lets {@link #close} send what ZeroMQ has accepted, for up to the given time. */
  void linger(int millis) {
    dealer.setLinger(millis);
  }

  @Override
  public void close() {
    state = State.FINISHING;
    window.close();
    poller.close();
    dealer.monitor(null, 0);
    sockets.forEach(ZMQ.Socket::close);
  }
}

package dev.repartee.zeromq;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.broker.OutgoingRequest;
import dev.repartee.broker.Reply;
import dev.repartee.broker.RequestLink;
import dev.repartee.limits.Limits;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;
import zmq.Msg;
import zmq.ZMQ.Event;

/**
 * Sends requests over a DEALER socket, and receives events with a SUB socket. One thread owns the
 * sockets.
 *
 * <p>Each connection has sockets of its own: ZeroMQ would connect again by itself and send what
 * waits in its queues over the next connection, although the calls have failed.
 */
final class DealerLink implements RequestLink {
  /** The milliseconds between attempts to connect grow from this to {@link #LONGEST}. */
  private static final int SHORTEST = 100;

  private static final int LONGEST = 5_000;

  /** The milliseconds after which ZeroMQ may connect again, which it never should. */
  private static final int NEVER = Integer.MAX_VALUE / 4;

  /** The milliseconds in which an encrypted service refuses the keys of a client. */
  private static final int GRACE = 300;

  /** The milliseconds after which a notification counts as taken without a sign of it. */
  private static final int TAKEN = 1_000;

  /** The pause before the next attempt to write while the service takes nothing. */
  private static final int PAUSE = 2;

  /** The milliseconds after which a connection without a sign is tried again; then twice that. */
  private static final int PATIENCE = 250;

  private static final int BURST = 100;

  /** The most topics of which events are counted. */
  private static final int COUNTED = 10_000;

  /** The bytes that a message counts besides its text, for its objects. */
  private static final int OVERHEAD = 256;

  private static final byte[] NOTHING = new byte[0];

  private static final int WATCHED = ZMQ.EVENT_CONNECTED
      | ZMQ.EVENT_CONNECT_RETRIED
      | ZMQ.EVENT_CLOSED
      | ZMQ.EVENT_DISCONNECTED
      | ZMQ.EVENT_HANDSHAKE_PROTOCOL
      | zmq.ZMQ.ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
      | zmq.ZMQ.ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

  private final Settings settings;
  private final byte @Nullable [] identity;
  private final String service;
  private final int pub;
  private final List<String> topics;

  /** What ZeroMQ delivers at the end of a connection. Nobody can guess it. */
  private final byte[] gone = UUID.randomUUID().toString().getBytes(ISO_8859_1);

  private final SocketThread thread;
  private final CompletableFuture<@Nullable Void> opened = new CompletableFuture<>();
  private volatile @Nullable Events events;
  private volatile @Nullable Session session;
  private volatile boolean closed;

  // Used by the thread of the sockets only.

  /** The events that were received and not delivered yet, and their bytes. */
  private int unread;

  private long unreadBytes;

  /** A message to the service. */
  private record Outgoing(Header header, byte[] head, byte[] body) {
    static Outgoing of(Header header, byte[] body) {
      return new Outgoing(header, header.toBytes(), body);
    }

    long size() {
      return OVERHEAD + body.length;
    }
  }

  /**
   * The sockets of one connection. Used by the thread of the sockets, except {@link
   * Session#awaitRoom}.
   */
  private final class Session implements AutoCloseable {
    final SocketPoller poller = SocketThread.poller();
    final List<ZMQ.Socket> sockets;
    final ZMQ.Socket dealer;
    final ZMQ.Socket monitor;
    final ZMQ.@Nullable Socket sub;

    /** The messages that ZeroMQ has not taken. */
    final Deque<Outgoing> queue = new ArrayDeque<>();

    final ReentrantLock lock = new ReentrantLock();
    final Condition room = lock.newCondition();

    /** The bytes of the messages that ZeroMQ has not taken. Guarded by the lock. */
    long waiting;

    /** The notifications without a sign that they were taken, and the time to wait for it. */
    final Map<String, Long> notes = new LinkedHashMap<>();

    /** The number of the last event of each method. */
    final Map<String, Long> numbers = new HashMap<>();

    final byte[] probe = new Header("ready", UUID.randomUUID().toString()).toBytes();
    boolean hasSubscribed = pub == 0;
    boolean isGreeted;
    volatile boolean isOver;
    boolean hasEnded;

    @Nullable IOException fault;

    Session() throws IOException {
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
      sub = pub == 0 ? null : sockets.get(2);
    }

    /**
     * Connects; returns false if the service sends nothing within the given milliseconds.
     *
     * @param end the time at which connecting fails
     */
    boolean connect(long patience, long end) throws IOException {
      settings.apply(dealer, Settings.MESSAGES);
      if (identity != null) {
        dealer.setIdentity(identity);
      }
      dealer.setReconnectIVL(NEVER);
      dealer.base().setSocketOpt(zmq.ZMQ.ZMQ_HICCUP_MSG, gone);
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
        subscribe();
      } catch (ZMQException | IllegalArgumentException e) {
        throw new IOException("cannot connect to " + service + ": " + e.getMessage(), e);
      }
      return awaitConnection(patience, end);
    }

    private void subscribe() {
      ZMQ.Socket to = sub;
      if (to != null) {
        settings.apply(to, Settings.EVENTS);
        to.setReconnectIVL(SHORTEST);
        to.setHandshakeIvl(4 * PATIENCE); // for the reason of DealerLink.connect
        topics.forEach(topic -> to.subscribe(topic.getBytes(UTF_8)));
        to.subscribe(probe);
        to.connect(settings.address().at(pub).toZmq());
        poller.register(to);
      }
    }

    private boolean awaitConnection(long patience, long end) throws IOException {
      long start = System.nanoTime();
      thread.run();
      while (!closed) {
        watch();
        if (fault != null) {
          throw fault;
        }
        long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        boolean isAdmitted = settings.curve() == null || passed >= GRACE;
        if (isGreeted && isAdmitted && hasSubscribed) {
          return true;
        }
        if (!isGreeted && passed >= patience) {
          return false;
        }
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (left <= 0) {
          throw new IOException(
              isGreeted
                  ? "nobody publishes events of " + service + " on port " + pub
                  : "no ZeroMQ service answers at " + service + " within "
                      + Settings.millis(settings.limits()) + " ms");
        }
        long next = isGreeted ? isAdmitted ? left : GRACE - passed : patience - passed;
        poller.poll(Math.max(1, Math.min(next, left)));
        receiveEvents();
        thread.run();
      }
      throw new IOException("the connection was closed");
    }

    /** Reads the events of the connection. */
    private void watch() {
      for (Event next = Event.read(monitor.base(), ZMQ.DONTWAIT);
          next != null;
          next = Event.read(monitor.base(), ZMQ.DONTWAIT)) {
        switch (next.event) {
          case ZMQ.EVENT_HANDSHAKE_PROTOCOL -> isGreeted = true;
          case zmq.ZMQ.ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL,
              zmq.ZMQ.ZMQ_EVENT_HANDSHAKE_FAILED_AUTH ->
            fail("the service " + service + " has refused the keys of this client, or is not the"
                + " one of the key in " + CurveKeys.SERVER);
          case ZMQ.EVENT_DISCONNECTED -> fail(ended());
          case ZMQ.EVENT_CONNECT_RETRIED, ZMQ.EVENT_CLOSED ->
            fail("nobody listens on " + service + "; is the service running?");
          default -> {}
        }
      }
    }

    private String ended() {
      if (session == this) {
        return "the service " + service + " has ended the connection, or does not answer";
      }
      return settings.curve() == null
          ? "the service " + service + " has ended the connection before its begin; is it a ZeroMQ"
              + " service, and does it take connections without keys?"
          : "the service " + service + " has refused the keys of this client, or is not the one of"
              + " the key in " + CurveKeys.SERVER;
    }

    private void fail(String reason) {
      if (fault == null) {
        fault = new IOException(reason);
      }
    }

    /** Sends and receives until the connection is lost; returns the reason. */
    @Nullable IOException serve() {
      thread.run();
      while (!closed && fault == null) {
        poller.poll(queue.isEmpty() ? notes.isEmpty() ? -1 : TAKEN / 2 : PAUSE);
        watch();
        flush();
        for (int i = 0; i < BURST && receive(); i++) {
          // Calls are written after the burst.
        }
        receiveEvents();
        take();
        thread.run();
      }
      return fault;
    }

    /** Receives what had arrived before the end of the connection, which the thread of ZeroMQ marks. */
    void finish() {
      end();
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TAKEN);
      poller.unregister(thread.woken());
      poller.unregister(monitor);
      if (sub != null) {
        poller.unregister(sub);
      }
      for (long left = TAKEN; !hasEnded && left > 0; ) {
        if (!receive()) {
          poller.poll(left);
          left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        }
      }
    }

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
      if (frames == 1 && Arrays.equals(first, gone)) {
        hasEnded = true;
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
        listener().violation(reason, null);
      } else {
        listener().unanswered(header.key(), reason);
      }
    }

    private void received(@Nullable Header header, byte[] body) {
      if (header == null) {
        if (body.length > 0) {
          listener().reply(new Reply(null, body, false, null)); // only the id in it tells the call
        }
      } else if (header.kind().equals(Header.NOTE)) {
        if (notes.remove(header.key()) != null) {
          listener().accepted(header.key());
        }
      } else {
        boolean more = header.kind().equals(Header.MORE);
        listener().reply(new Reply(header.key(), body, more, more ? service : null));
      }
    }

    /** Counts notifications as taken: other services may send no sign of it. */
    private void take() {
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
        listener().accepted(note.getKey());
      }
    }

    /**
     * Waits while too much waits for the service already, then counts a message; returns false if
     * the connection has ended. For the thread of the channel.
     */
    boolean awaitRoom(long size) {
      lock.lock();
      try {
        while (!isOver && waiting > settings.limits().outboundBytes()) {
          room.awaitUninterruptibly();
        }
        waiting += size;
        return !isOver;
      } finally {
        lock.unlock();
      }
    }

    /** Counts a message if it need not wait; returns false if it must, or has no connection. */
    boolean hasRoom(long size) {
      lock.lock();
      try {
        boolean hasRoom = !isOver && waiting <= settings.limits().outboundBytes();
        if (hasRoom) {
          waiting += size;
        }
        return hasRoom;
      } finally {
        lock.unlock();
      }
    }

    void write(Outgoing message) {
      if (!isOver) {
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
      lock.lock();
      try {
        waiting -= message.size();
        room.signal();
      } finally {
        lock.unlock();
      }
      String key = message.header.key();
      switch (message.header.kind()) {
        case Header.NOTE ->
          notes.put(key, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TAKEN));
        case Header.CALL -> {
          // Another one is sent again after a loss, and may be the cause of the loss: only without
          // this sign the channel counts the losses.
          if (!message.header.idempotent()) {
            listener().accepted(key);
          }
        }
        default -> {}
      }
    }

    /** Sends nothing any more. */
    private void end() {
      lock.lock();
      try {
        isOver = true;
        room.signal();
      } finally {
        lock.unlock();
      }
    }

    private void receiveEvents() {
      Limits limits = settings.limits();
      ZMQ.Socket from = sub;
      while (from != null
          && unread < limits.queuedMessages()
          && unreadBytes <= limits.queuedBytes()) {
        Msg frame = FrameMemory.receive(from, ZMQ.DONTWAIT);
        if (frame == null) {
          return;
        }
        byte[] topic = frame.data();
        byte[] number = NOTHING;
        byte[] body = NOTHING;
        while (frame.hasMore()) {
          frame = Objects.requireNonNull(FrameMemory.receive(from, 0));
          number = body;
          body = frame.data();
        }
        if (FrameMemory.isDropped(frame)) {
          listener()
              .violation(
                  "an event of " + service + " was lost, because all connections together hold as"
                      + " much as they may, the limit heldBytes",
                  null);
        } else if (Header.isHeader(topic)) {
          hasSubscribed = true;
        } else if (isWanted(new String(topic, UTF_8))) {
          count(topic, new String(number, ISO_8859_1));
          event(body);
        }
      }
    }

    private void event(byte[] body) {
      unread++;
      unreadBytes += body.length;
      listener()
          .event(
              body,
              () -> thread.execute(() -> {
                unread--;
                unreadBytes -= body.length;
              }));
    }

    /** Returns whether a topic is one of this client, which also gets those with longer names. */
    private boolean isWanted(String topic) {
      return topics.contains("") || topics.contains(topic);
    }

    private void count(byte[] name, String text) {
      if (!text.matches("[0-9]{1,18}")
          || name.length > Settings.TOPIC
          || numbers.size() >= COUNTED) {
        return;
      }
      String topic = new String(name, UTF_8);
      long number = Long.parseLong(text);
      Long last = numbers.put(topic, number);
      if (last != null && number > last + 1) {
        listener()
            .violation(
                number - last - 1 + " events '" + topic + "' of " + service
                    + " were lost, because they were not taken in time",
                null);
      }
    }

    @Override
    public void close() {
      end();
      poller.close();
      dealer.monitor(null, 0);
      sockets.forEach(ZMQ.Socket::close);
    }
  }

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

  private Events listener() {
    return Objects.requireNonNull(events);
  }

  @Override
  public void start(Events events) {
    this.events = events;
  }

  // ---------------------------------------------------------------- the thread of the sockets

  private void run() {
    try {
      int pause = SHORTEST;
      for (long lasted = connection();
          !opened.isCompletedExceptionally() && !closed;
          lasted = connection()) {
        if (lasted < LONGEST) {
          pause(pause / 2 + ThreadLocalRandom.current().nextInt(pause / 2));
          pause = Math.min(LONGEST, 2 * pause);
        } else {
          pause = SHORTEST;
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
   * Opens a connection and serves it to its end. Returns the milliseconds that it has lasted; 0 if
   * it could not be opened.
   */
  private long connection() {
    IOException fault;
    long start;
    try (Session next = connect()) {
      start = System.nanoTime();
      session = next;
      if (!opened.complete(null)) {
        listener().connected();
      }
      fault = next.serve();
      session = null;
      if (fault == null) {
        next.dealer.setLinger(
            (int) Math.min(1_000, settings.limits().drainTimeout().toMillis()));
        return 0;
      }
      next.finish();
    } catch (IOException e) {
      if (!opened.completeExceptionally(e) && !closed) {
        listener().unreachable(e);
      }
      return 0;
    }
    listener().lost(fault);
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }

  /**
   * Connects. JeroMQ sometimes opens a connection and then never writes to it (its issue 1022), so
   * that a connection without any sign of the service is soon tried again; nothing was sent yet.
   */
  private Session connect() throws IOException {
    long end =
        System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Settings.millis(settings.limits()));
    for (long patience = PATIENCE; ; patience *= 2) {
      Session next = new Session();
      boolean isOpen = false;
      try {
        isOpen = next.connect(patience, end);
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

  private void pause(int millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    thread.run();
    for (long left = millis; left > 0 && !closed; ) {
      thread.await(left);
      left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    }
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
    Session now = session;
    Outgoing message = Outgoing.of(Header.of(request), request.body());
    return now != null && now.hasRoom(message.size()) && thread.execute(() -> now.write(message));
  }

  private boolean send(Header header, byte[] body) {
    Session now = session;
    Outgoing message = Outgoing.of(header, body);
    return now != null && now.awaitRoom(message.size()) && thread.execute(() -> now.write(message));
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

package dev.repartee.zeromq;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.RpcError;
import dev.repartee.broker.EventChannel;
import dev.repartee.broker.Outbox;
import dev.repartee.broker.Worker;
import dev.repartee.limits.Limits;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;
import zmq.Msg;

/**
 * A service on a ROUTER socket, with an XPUB socket for its events. One thread owns the sockets,
 * reads the messages and runs inline methods.
 *
 * <p>Replies to a client wait in its queue while ZeroMQ takes none, because the client does not read
 * them. Meanwhile, if the queue is full, its further messages are dropped.
 */
final class RouterListening implements Transport.Listening {
  /** The most frames of an envelope: each proxy adds one. */
  private static final int ENVELOPE = 16;

  /** The bytes of a reply that a client without unread ones always gets. */
  private static final int SMALL = 64 << 10;

  /** The messages that are read before replies are written. */
  private static final int BURST = 100;

  /** The longest pause before the next attempt to write to a client that takes nothing. */
  private static final int PAUSE = 32;

  /** The methods whose events are counted, so that subscribers notice a gap. */
  private static final int COUNTED = 10_000;

  /** The longest time that a message may take, in milliseconds: its nanoseconds fit into a long. */
  private static final long LONGEST = TimeUnit.DAYS.toMillis(10_000);

  private static final Duration LINGER = Duration.ofMillis(900);

  private final Endpoint endpoint;
  private final Settings settings;
  private final Limits limits;
  private final int pub;
  private final Transport.Acceptor acceptor;
  private final ChannelInfo info;
  private final SocketThread thread;
  private final CompletableFuture<Integer> bound = new CompletableFuture<>();
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
  private final @Nullable Outbox outbox;
  private final Worker worker;

  /** What ZeroMQ delivers when a client has disconnected. Nobody can guess it. */
  private final byte[] gone = new byte[16];

  private final long began = System.nanoTime();

  /** The bytes of replies in the queues of ZeroMQ, of all clients. */
  private final AtomicLong unread = new AtomicLong();

  private final long mostUnread = MemoryBudget.ofAnswers().max() / 4;

  // Used by the thread of the sockets only.
  private final Map<String, Client> clients = new HashMap<>();
  private final Set<Client> busy = new HashSet<>();
  private final Set<Client> blocked = new HashSet<>();

  /** The messages that have a deadline and run, by its time. */
  private final NavigableMap<Long, ZmqDelivery> deadlines = new TreeMap<>();

  /** The bytes of replies that wait for their clients, and of messages that wait for these. */
  private long queuedBytes;

  private long heldBytes;
  private final MemoryBudget.Share answers = MemoryBudget.ofAnswers().share(SMALL);
  private final MemoryBudget.Share requests = MemoryBudget.ofProcess().share(SMALL);

  private final Map<String, Long> published = new HashMap<>();
  private ZMQ.@Nullable Socket router;
  private ZMQ.@Nullable Socket events;
  private long messages;
  private boolean closing;
  private boolean closed;

  RouterListening(Endpoint endpoint, Settings settings, int pub, Transport.Acceptor acceptor)
      throws IOException {
    this.endpoint = endpoint;
    this.settings = settings;
    this.limits = settings.limits();
    this.pub = pub;
    this.acceptor = acceptor;
    this.info = new ChannelInfo(endpoint.scheme(), settings.address().name(), "message");
    this.worker = new Worker(acceptor.responder().of(info, Attributes.NONE), limits);
    this.thread = new SocketThread(fault ->
        report("a fault in ZeroMQ; if the service does not answer any more, restart it: " + fault));
    this.outbox = pub == 0
        ? null
        : new Outbox(
            "repartee-zeromq-events",
            limits.outboundBytes(),
            e -> report("an event was lost: " + e.getMessage()));
    new SecureRandom().nextBytes(gone);
  }

  /** Binds the sockets, and takes messages. */
  RouterListening open() throws IOException {
    thread.start("repartee-zeromq-service", this::run);
    try {
      bound.join();
    } catch (CompletionException e) {
      if (outbox != null) {
        outbox.close(() -> {});
      }
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      throw new IOException(String.valueOf(cause.getMessage()), cause);
    }
    if (outbox != null && acceptor.takesConnections()) {
      acceptor.accept(new EventChannel(info, limits, outbox, this::publish));
    }
    return this;
  }

  void report(String what) {
    acceptor.refused(info, what);
  }

  // ---------------------------------------------------------------- the thread of the sockets

  private void run() {
    Deque<ZMQ.Socket> sockets = new ArrayDeque<>();
    try {
      ZMQ.Socket to = open(sockets, SocketType.ROUTER);
      ZMQ.Socket xpub = pub == 0 ? null : open(sockets, SocketType.XPUB);
      CurveKeys keys = settings.curve();
      Admission admission =
          keys == null ? null : new Admission(open(sockets, SocketType.REP), keys, this::report);
      settings.apply(to, Settings.MESSAGES);
      to.setRouterMandatory(true);
      to.base().setSocketOpt(zmq.ZMQ.ZMQ_DISCONNECT_MSG, gone);
      bind(to, settings.address());
      if (xpub != null) {
        settings.applyToEvents(xpub);
        bind(xpub, settings.address().at(pub));
        events = xpub;
      }
      bound.complete(port(to));
      serve(to, xpub, admission);
    } catch (IOException | RuntimeException | Error e) { // such as too little memory
      if (!bound.completeExceptionally(e)) {
        report("the service has ended because of a fault: " + e);
      }
    } finally {
      for (ZMQ.Socket socket : sockets) {
        socket.setLinger((int) Math.min(LINGER.toMillis(), limits.drainTimeout().toMillis()));
        socket.close();
      }
      thread.end();
      bound.completeExceptionally(new IOException("the service has ended because of a fault"));
      ended.complete(null);
    }
  }

  private ZMQ.Socket open(Deque<ZMQ.Socket> sockets, SocketType type) throws IOException {
    ZMQ.Socket socket = thread.sockets(type).get(0);
    sockets.add(socket);
    return socket;
  }

  private static void bind(ZMQ.Socket socket, ZmqAddress address) throws IOException {
    try {
      socket.bind(address.toZmq());
    } catch (RuntimeException e) { // JeroMQ has several
      throw new IOException(
          "cannot listen on " + address.name() + ": " + e.getMessage()
              + "; choose another port, or an address of this machine",
          e);
    }
  }

  private static int port(ZMQ.Socket socket) {
    String last = socket.getLastEndpoint();
    return Integer.parseInt(last.substring(last.lastIndexOf(':') + 1));
  }

  private void serve(ZMQ.Socket router, ZMQ.@Nullable Socket xpub, @Nullable Admission admission)
      throws IOException {
    this.router = router;
    try (SocketPoller poller = SocketThread.poller()) {
      poller.register(thread.woken());
      poller.register(router);
      if (xpub != null) {
        poller.register(xpub);
      }
      if (admission != null) {
        poller.register(admission.socket());
      }
      for (int pause = 1; !closed; pause = blocked.isEmpty() ? 1 : Math.min(PAUSE, 2 * pause)) {
        long next = untilDeadline();
        poller.poll(blocked.isEmpty() ? next : next < 0 ? pause : Math.min(pause, next));
        if (admission != null) {
          admission.answer();
        }
        for (int i = 0; i < BURST && receive(router); i++) {
          // Replies are written after the burst.
        }
        if (xpub != null) {
          subscriptions(xpub);
        }
        blocked.removeIf(this::flush);
        cancelLate();
        thread.run();
      }
    }
  }

  /** Returns the milliseconds to the next deadline; -1 if there is none. */
  private long untilDeadline() {
    return deadlines.isEmpty()
        ? -1
        : Math.max(0, 1 + TimeUnit.NANOSECONDS.toMillis(deadlines.firstKey() - now()));
  }

  private void cancelLate() {
    while (!deadlines.isEmpty() && deadlines.firstKey() <= now()) {
      worker.cancel(deadlines.pollFirstEntry().getValue().key());
    }
  }

  /** Returns the time since the start of the service in nanoseconds. */
  private long now() {
    return System.nanoTime() - began;
  }

  /** Reads a message; returns false if there is none. */
  private boolean receive(ZMQ.Socket router) {
    Msg frame = FrameMemory.receive(router, ZMQ.DONTWAIT);
    if (frame == null) {
      return false;
    }
    byte[] identity = frame.data();
    List<byte[]> envelope = new ArrayList<>(4);
    long size = 0;
    byte[] last = identity;
    while (frame.hasMore()) {
      size += last.length;
      if (envelope.size() <= ENVELOPE && size <= limits.headerBytes()) {
        envelope.add(last);
      }
      frame = Objects.requireNonNull(FrameMemory.receive(router, 0));
      last = frame.data();
    }
    if (envelope.size() == 1 && Arrays.equals(last, gone)) {
      disconnected(name(identity));
    } else if (envelope.size() > ENVELOPE || size > limits.headerBytes()) {
      report("a message with more than " + ENVELOPE + " frames or " + limits.headerBytes()
          + " bytes before its text was dropped");
    } else {
      received(envelope, last, FrameMemory.isDropped(frame));
    }
    return true;
  }

  private void received(List<byte[]> envelope, byte[] body, boolean isDropped) {
    Client client = clients.computeIfAbsent(name(envelope.get(0)), any -> new Client());
    int size = envelope.size();
    byte[] first = size > 2 && envelope.get(size - 1).length == 0 ? envelope.get(size - 2) : null;
    if (first == null || !Header.isHeader(first)) {
      serve(plain(client, envelope, body), isDropped);
      return;
    }
    Header header = Header.parse(first);
    if (header == null || header.kind().equals(Header.MORE)) {
      refuse(
          plain(client, envelope, body),
          RpcError.INVALID_REQUEST,
          "The ZeroMQ frame '" + shown(first) + "' is no header of a message to a service");
      return;
    }
    String name = name(envelope, header.key());
    ZmqDelivery running = client.running.get(name);
    switch (header.kind()) {
      case Header.CANCEL -> {
        if (running != null) {
          worker.cancel(running.key());
        }
      }
      case Header.GRANT -> {
        if (running != null) {
          startOrHold(client, size(envelope), () -> worker.grant(running.key(), header.number()));
        }
      }
      default ->
        serve(
            new ZmqDelivery(this, client, List.copyOf(envelope), header, name, nextKey(), body),
            isDropped);
    }
  }

  private String nextKey() {
    return Long.toString(++messages);
  }

  /** Returns a message that gets exactly one reply. */
  private ZmqDelivery plain(Client client, List<byte[]> envelope, byte[] body) {
    String key = nextKey();
    String name = " " + key; // a key that a client chooses has no space
    return new ZmqDelivery(this, client, List.copyOf(envelope), null, name, key, body);
  }

  /** Returns the start of a frame for messages to people. */
  private static String shown(byte[] frame) {
    return new String(frame, 0, Math.min(frame.length, 100), ISO_8859_1).replaceAll("[^ -~]", "?");
  }

  private static String name(byte[] identity) {
    return new String(identity, ISO_8859_1);
  }

  /**
   * Returns the name of a message among those of its connection: its key, and before it the
   * identities that proxies have added, each with its length.
   */
  private static String name(List<byte[]> envelope, String key) {
    int proxies = envelope.size() - 2;
    if (proxies == 1) {
      return key;
    }
    StringBuilder name = new StringBuilder();
    for (byte[] identity : envelope.subList(1, proxies)) {
      name.append(identity.length).append(':').append(name(identity));
    }
    return name.append(' ').append(key).toString();
  }

  private void serve(ZmqDelivery delivery, boolean isDropped) {
    Client client = delivery.client();
    if (isDropped) {
      refuse(
          delivery,
          RpcError.BUSY,
          "All connections together hold as much as they may, the limit heldBytes");
    } else if (busy.size() >= limits.connections() && !busy.contains(client)) {
      refuse(
          delivery,
          RpcError.BUSY,
          "As many clients as the limit connections of the service allows (" + limits.connections()
              + ") have messages in work");
    } else if (client.running.putIfAbsent(delivery.name(), delivery) != null) {
      report("a message was dropped, because its client uses the same key twice at a time");
    } else {
      busy.add(client);
      if (!startOrHold(client, size(delivery), () -> start(client, delivery))) {
        client.running.remove(delivery.name());
        forgetIfIdle(client);
      }
    }
  }

  /**
   * Runs an action for a message, unless the client does not read its replies; then it waits, or is
   * dropped. Returns whether it was not dropped.
   */
  private boolean startOrHold(Client client, long size, Runnable action) {
    if (client.bytes <= limits.outboundBytes() && client.held.isEmpty()) {
      action.run();
      return true;
    }
    if (client.heldBytes > limits.outboundBytes() || !requests.hold(heldBytes + size)) {
      if (!client.isReported) {
        client.isReported = true;
        report("messages of a client were dropped, because it does not read its replies");
      }
      return false;
    }
    client.held.add(new Client.Held(size, action));
    client.heldBytes += size;
    heldBytes += size;
    blocked.add(client);
    return true;
  }

  /** Answers a message with an error, unless its client does not read its replies. */
  private void refuse(ZmqDelivery delivery, int code, String reason) {
    if (delivery.client().bytes <= limits.outboundBytes()) {
      worker.refuse(delivery, code, reason);
    } else {
      report("a message of a client that does not read its replies was dropped: " + reason);
    }
  }

  private void start(Client client, ZmqDelivery delivery) {
    if (closing) {
      if (delivery.mayComeAgain()) {
        delivery.again();
      } else {
        worker.refuse(delivery, RpcError.BUSY, "The service is closing");
      }
      return;
    }
    if (!delivery.expectsReply()) {
      write(client, frames(delivery.envelope(), new byte[0])); // the sign that it has come
    }
    if (delivery.millis() > 0) {
      long millis = Math.min(delivery.millis(), LONGEST);
      long deadline = now() + TimeUnit.MILLISECONDS.toNanos(millis);
      while (deadlines.putIfAbsent(deadline, delivery) != null) {
        deadline++;
      }
      delivery.until(deadline);
    }
    worker.serve(delivery);
  }

  private void disconnected(String identity) {
    Client client = clients.remove(identity);
    if (client == null) {
      return;
    }
    client.isGone = true;
    busy.remove(client);
    blocked.remove(client);
    if (!client.queue.isEmpty()) {
      report(client.queue.size() + " replies were dropped, because their client has disconnected");
    }
    unread.addAndGet(-client.unread.getAndSet(0));
    queuedBytes -= client.bytes;
    heldBytes -= client.heldBytes;
    holdLess();
    client.running.values().forEach(delivery -> worker.cancel(delivery.key()));
  }

  private void holdLess() {
    answers.hold(queuedBytes);
    requests.hold(heldBytes);
  }

  // ---------------------------------------------------------------- replies

  /** Sends a message to the client of a delivery. */
  void send(ZmqDelivery delivery, List<byte[]> envelope, byte[] body) {
    List<byte[]> frames = frames(envelope, body);
    thread.execute(() -> {
      if (delivery.client().isGone) {
        if (body.length > 0) {
          report("a reply was dropped, because its client has disconnected");
        }
      } else if (!write(delivery.client(), frames) && delivery.lose()) {
        worker.cancel(delivery.key());
        worker.refuse(
            delivery,
            RpcError.BUSY,
            "The reply was dropped, since clients that do not read their replies hold as much"
                + " memory as heldBytes allows; the call may have run");
      }
    });
  }

  /** Reports that a message was settled. */
  void settled(ZmqDelivery delivery) {
    thread.execute(() -> {
      deadlines.remove(delivery.deadline());
      delivery.client().running.remove(delivery.name(), delivery);
      forgetIfIdle(delivery.client());
    });
  }

  private void forgetIfIdle(Client client) {
    if (!client.isBusy()) {
      busy.remove(client);
    }
  }

  private static List<byte[]> frames(List<byte[]> envelope, byte[] body) {
    List<byte[]> frames = new ArrayList<>(envelope);
    frames.add(body);
    return frames;
  }

  /** Writes or queues a message; returns false if there is no memory for it. */
  private boolean write(Client client, List<byte[]> frames) {
    long size = size(frames);
    if (client.queue.isEmpty() && write(client, frames, size)) {
      return true;
    }
    if (!answers.hold(queuedBytes + size)) {
      report("a reply was dropped, because clients that do not read their replies hold as much as"
          + " heldBytes allows");
      return false;
    }
    client.queue.add(frames);
    client.bytes += size;
    queuedBytes += size;
    client.isBlocked = true;
    blocked.add(client);
    busy.add(client);
    return true;
  }

  /** Writes the replies of a client, then starts held messages; returns whether nothing is left. */
  private boolean flush(Client client) {
    for (List<byte[]> next = client.queue.peek(); next != null; next = client.queue.peek()) {
      long size = size(next);
      if (!write(client, next, size)) {
        return false;
      }
      client.queue.remove();
      client.bytes -= size;
      queuedBytes -= size;
    }
    client.isBlocked = false;
    for (int i = 0; i < BURST && !client.held.isEmpty(); i++) { // their replies come later
      Client.Held next = client.held.remove();
      client.heldBytes -= next.size();
      heldBytes -= next.size();
      next.action().run();
    }
    holdLess();
    if (!client.held.isEmpty() || !client.queue.isEmpty()) {
      return false;
    }
    client.isReported = false;
    forgetIfIdle(client);
    return true;
  }

  private static long size(ZmqDelivery delivery) {
    return size(delivery.envelope()) + delivery.body().length;
  }

  private static long size(List<byte[]> frames) {
    long size = 0;
    for (byte[] frame : frames) {
      size += frame.length + 64;
    }
    return size;
  }

  /** Gives a message to ZeroMQ; returns false if its client takes none at the moment. */
  private boolean write(Client client, List<byte[]> frames, long size) {
    if (!hasRoom(client.unread.get(), size)) {
      return false;
    }
    ZMQ.Socket to = Objects.requireNonNull(router);
    int last = frames.size() - 1;
    try {
      for (int i = 0; i < last; i++) {
        if (!to.send(frames.get(i), ZMQ.SNDMORE | ZMQ.DONTWAIT)) {
          return false; // only the first frame, the identity, can be refused
        }
      }
      client.unread.addAndGet(size);
      unread.addAndGet(size);
      to.base().send(new ReplyFrame(frames.get(last), () -> taken(client, size)), ZMQ.DONTWAIT);
    } catch (ZMQException e) {
      if (frames.get(last).length > 0) {
        report("a reply was dropped, because its client has disconnected");
      }
    }
    return true;
  }

  private boolean hasRoom(long ofClient, long size) {
    if (ofClient == 0 && size <= SMALL) {
      return true;
    }
    long all = unread.get();
    return (ofClient == 0 || ofClient + size <= limits.outboundBytes())
        && (all <= mostUnread / 2 || all + size <= mostUnread);
  }

  /** Counts a reply that ZeroMQ begins to write. Called by its thread. */
  private void taken(Client client, long size) {
    unread.addAndGet(-size);
    if (client.unread.addAndGet(-size) <= limits.outboundBytes() / 2 && client.isBlocked) {
      thread.execute(() -> {}); // the next replies are written after the tasks
    }
  }

  // ---------------------------------------------------------------- events

  private void publish(String method, byte[] body) throws IOException {
    CompletableFuture<@Nullable Void> sent = new CompletableFuture<>();
    if (!thread.execute(() -> {
      if (published.size() > COUNTED) {
        published.clear();
      }
      long number = published.merge(method, 1L, Long::sum);
      publish(method.getBytes(UTF_8), Long.toString(number).getBytes(ISO_8859_1), body);
      sent.complete(null);
    })) {
      throw new IOException("the service has ended");
    }
    CompletableFuture.anyOf(sent, ended).join();
  }

  private void publish(byte[] topic, byte[] number, byte[] body) {
    ZMQ.Socket to = events;
    if (to != null) {
      to.send(topic, ZMQ.SNDMORE);
      to.send(number, ZMQ.SNDMORE);
      to.send(body, 0);
    }
  }

  /** Tells a new subscriber that its subscriptions have arrived, by an event that it asks for. */
  private void subscriptions(ZMQ.Socket xpub) {
    for (byte[] next = xpub.recv(ZMQ.DONTWAIT); next != null; next = xpub.recv(ZMQ.DONTWAIT)) {
      byte[] topic = next.length > 0 ? Arrays.copyOfRange(next, 1, next.length) : next;
      if (next.length > 0 && next[0] == 1 && Header.isHeader(topic)) {
        publish(topic, new byte[0], new byte[0]);
      }
    }
  }

  // ---------------------------------------------------------------- the end

  @Override
  public Endpoint endpoint() {
    return endpoint.at("//" + settings.address().at(bound.join()).name());
  }

  @Override
  public OptionalInt port() {
    return OptionalInt.of(bound.join());
  }

  @Override
  public void close() {
    finish(Duration.ZERO);
  }

  @Override
  public CompletionStage<?> finish(Duration limit) {
    thread.execute(() -> closing = true); // to unbind the socket would end all connections
    worker.finish(limit).whenComplete((ok, failure) -> {
      if (outbox == null) {
        thread.execute(() -> closed = true);
      } else {
        outbox.close(() -> thread.execute(() -> closed = true));
      }
    });
    return ended.copy();
  }
}

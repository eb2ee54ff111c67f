package dev.repartee.zeromq;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.RpcError;
import dev.repartee.broker.EventChannel;
import dev.repartee.broker.Outbox;
import dev.repartee.broker.Worker;
import dev.repartee.limits.Limits;
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
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

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
  private volatile @Nullable Endpoint boundEndpoint;

  // Used by the thread of the sockets only.
  private final Map<String, Client> clients = new HashMap<>();
  private final Set<Client> blocked = new HashSet<>();

  /** The messages that have a deadline and run, by its time. */
  private final NavigableMap<Long, ZmqDelivery> deadlines = new TreeMap<>();

  private final Map<String, Long> published = new HashMap<>();
  private ZMQ.@Nullable Socket router;
  private ZMQ.@Nullable Socket events;
  private long messages;
  private boolean closing;
  private boolean closed;

  /** A client of which messages run or replies wait. */
  private static final class Client {
    final String identity;
    final Set<String> running = new HashSet<>();

    /** The replies that ZeroMQ has not taken, and their bytes. */
    final Deque<List<byte[]>> queue = new ArrayDeque<>();

    long bytes;

    /** The messages that wait until the client reads its replies, and their bytes. */
    final Deque<ZmqDelivery> held = new ArrayDeque<>();

    long heldBytes;
    boolean isReported;

    Client(String identity) {
      this.identity = identity;
    }
  }

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
      boundEndpoint = endpoint.at("//" + settings.address().at(bound.join()).name());
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
    try (ZMQ.Poller poller = thread.poller(4)) {
      poller.register(thread.woken(), ZMQ.Poller.POLLIN);
      poller.register(router, ZMQ.Poller.POLLIN);
      if (xpub != null) {
        poller.register(xpub, ZMQ.Poller.POLLIN);
      }
      if (admission != null) {
        poller.register(admission.socket(), ZMQ.Poller.POLLIN);
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
    byte[] identity = router.recv(ZMQ.DONTWAIT);
    if (identity == null) {
      return false;
    }
    List<byte[]> envelope = new ArrayList<>(4);
    byte[] last = identity;
    while (router.hasReceiveMore()) {
      if (envelope.size() <= ENVELOPE) {
        envelope.add(last);
      }
      last = router.recv();
    }
    if (envelope.size() == 1 && Arrays.equals(last, gone)) {
      disconnected(name(identity));
    } else if (envelope.size() > ENVELOPE) {
      report("a message with more than " + ENVELOPE + " frames before its text was dropped");
    } else {
      received(envelope, last);
    }
    return true;
  }

  private void received(List<byte[]> envelope, byte[] body) {
    String identity = name(envelope.get(0));
    int size = envelope.size();
    byte[] first = size > 2 && envelope.get(size - 1).length == 0 ? envelope.get(size - 2) : null;
    if (first == null || !Header.isHeader(first)) {
      serve(plain(envelope, body), identity);
      return;
    }
    Header header = Header.parse(first);
    if (header == null || header.kind().equals(Header.MORE)) {
      refuse(
          plain(envelope, body),
          identity,
          RpcError.INVALID_REQUEST,
          "The ZeroMQ frame '" + shown(first) + "' is no header of a message to a service");
      return;
    }
    String key = path(envelope, size - 2) + " " + header.key();
    switch (header.kind()) {
      case Header.CANCEL -> worker.cancel(key);
      case Header.GRANT -> worker.grant(key, header.number());
      default -> serve(new ZmqDelivery(this, List.copyOf(envelope), header, key, body), identity);
    }
  }

  /** Returns a message that gets exactly one reply. */
  private ZmqDelivery plain(List<byte[]> envelope, byte[] body) {
    String key = path(envelope, 1) + "#" + ++messages;
    return new ZmqDelivery(this, List.copyOf(envelope), null, key, body);
  }

  /** Returns the start of a frame for messages to people. */
  private static String shown(byte[] frame) {
    return new String(frame, 0, Math.min(frame.length, 100), ISO_8859_1).replaceAll("[^ -~]", "?");
  }

  private static String name(byte[] identity) {
    return new String(identity, ISO_8859_1);
  }

  /** Returns the identities of a client and of the proxies, each with its length. */
  private static String path(List<byte[]> envelope, int end) {
    StringBuilder path = new StringBuilder();
    for (byte[] identity : envelope.subList(0, end)) {
      path.append(identity.length).append(':').append(name(identity));
    }
    return path.toString();
  }

  private void serve(ZmqDelivery delivery, String identity) {
    if (clients.size() >= limits.connections() && !clients.containsKey(identity)) {
      refuse(
          delivery,
          identity,
          RpcError.BUSY,
          "As many clients as the limit connections of the service allows (" + limits.connections()
              + ") have messages in work");
      return;
    }
    Client client = clients.computeIfAbsent(identity, Client::new);
    if (client.heldBytes > limits.outboundBytes()) {
      if (!client.isReported) {
        client.isReported = true;
        report("messages of a client were dropped, because it does not read its replies");
      }
    } else if (!client.running.add(delivery.key())) {
      report("a message was dropped, because its client uses the same key twice at a time");
    } else if (client.bytes > limits.outboundBytes() || !client.held.isEmpty()) {
      client.held.add(delivery);
      client.heldBytes += size(delivery);
      blocked.add(client);
    } else {
      start(client, delivery);
    }
  }

  /** Answers a message with an error, unless its client does not read its replies. */
  private void refuse(ZmqDelivery delivery, String identity, int code, String reason) {
    Client client = clients.get(identity);
    if (client == null || client.bytes <= limits.outboundBytes()) {
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
      write(client, frames(delivery.envelope(), new byte[0]));
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
    if (client != null) {
      blocked.remove(client);
      if (!client.queue.isEmpty()) {
        report(
            client.queue.size() + " replies were dropped, because their client has disconnected");
      }
      client.held.clear();
      client.running.forEach(worker::cancel);
    }
  }

  // ---------------------------------------------------------------- replies

  /** Sends a message to a client. */
  void send(List<byte[]> envelope, byte[] body) {
    List<byte[]> frames = frames(envelope, body);
    thread.execute(() -> {
      String identity = name(envelope.get(0));
      Client client = clients.get(identity);
      if (client != null) {
        write(client, frames);
      } else if (!write(frames)) {
        report("a reply was dropped, because its client has disconnected or does not read");
      }
    });
  }

  /** Reports that a message was settled. */
  void settled(ZmqDelivery delivery) {
    thread.execute(() -> {
      deadlines.remove(delivery.deadline());
      Client client = clients.get(name(delivery.envelope().get(0)));
      if (client != null) {
        client.running.remove(delivery.key());
        forgetIfIdle(client);
      }
    });
  }

  private void forgetIfIdle(Client client) {
    if (client.running.isEmpty() && client.queue.isEmpty()) { // running are also those held
      clients.remove(client.identity, client);
    }
  }

  private static List<byte[]> frames(List<byte[]> envelope, byte[] body) {
    List<byte[]> frames = new ArrayList<>(envelope);
    frames.add(body);
    return frames;
  }

  private void write(Client client, List<byte[]> frames) {
    if (!client.queue.isEmpty() || !write(frames)) {
      client.queue.add(frames);
      client.bytes += size(frames);
      blocked.add(client);
    }
  }

  /** Writes the replies of a client, then starts held messages; returns whether nothing is left. */
  private boolean flush(Client client) {
    for (List<byte[]> next = client.queue.peek(); next != null; next = client.queue.peek()) {
      if (!write(next)) {
        return false;
      }
      client.queue.remove();
      client.bytes -= size(next);
    }
    for (int i = 0; i < BURST && !client.held.isEmpty(); i++) { // their replies come later
      ZmqDelivery delivery = client.held.remove();
      client.heldBytes -= size(delivery);
      start(client, delivery);
    }
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

  /** Writes a message; returns false if its client takes none at the moment. */
  private boolean write(List<byte[]> frames) {
    ZMQ.Socket to = router;
    try {
      for (int i = 0; to != null && i < frames.size(); i++) {
        int more = i < frames.size() - 1 ? ZMQ.SNDMORE : 0;
        if (!to.send(frames.get(i), more | ZMQ.DONTWAIT)) {
          return false; // only the first frame, the identity, can be refused
        }
      }
    } catch (ZMQException e) {
      if (frames.get(frames.size() - 1).length > 0) {
        report("a reply was dropped, because its client has disconnected");
      }
    }
    return true;
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
    Endpoint now = boundEndpoint;
    return now == null ? endpoint : now;
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

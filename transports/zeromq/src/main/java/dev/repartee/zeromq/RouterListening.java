package dev.repartee.zeromq;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.broker.EventChannel;
import dev.repartee.broker.Outbox;
import dev.repartee.broker.Worker;
import dev.repartee.limits.Limits;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.limits.TimeLimits;
import dev.repartee.message.RpcError;
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
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;
import zmq.Msg;

/**
 * A service on a ROUTER socket, with an XPUB socket for its events. One thread owns the sockets,
 * reads the messages and runs inline methods.
 *
 * <p>Replies to a client wait in its queue while it does not read them. Meanwhile its further
 * messages wait, too, and are dropped if too many do.
 */
final class RouterListening implements Transport.Listening {
  // Implementation note.
  //
  // A message from its arrival to its end:
  //
  //   receive --> received --> serve --+--> start --> Worker --> send ... --> settled
  //                                    |      ^
  //                                    v      | flush(), when the client has read its replies
  //                                  held ----+
  //                                    |
  //                                    +--> dropped, when the client holds too much
  //
  // The state of a client. All connections share one ROUTER socket, so ZeroMQ cannot stop reading
  // from one client: what one client sends beyond its share has to wait here, or is dropped. To
  // stop reading altogether was no alternative, as one client that does not read would stop all.
  //   - A client is in "clients" from its first message until ZeroMQ reports its disconnect.
  //   - It is in "busy" exactly while Client.isBusy(). Only busy clients count towards the limit
  //     connections: ZeroMQ accepts connections itself, and idle ones cost little here.
  //   - It is in "blocked" while replies or messages of it wait. The loop tries to flush() it
  //     after each burst, and after a pause that doubles from 1 ms: ZeroMQ signals to nobody that
  //     one client of a ROUTER has room again. ReplyWriter wakes the thread when it can know it.
  //   - A Client that isGone is in none of them, and no reply is sent to it. Its identity may
  //     belong to a new connection already. A REQ socket would treat the reply to an old call as
  //     the answer to its own request.
  //
  // A grant waits like a call (startOrHold): otherwise the streams of a client that does not read
  // would go on to fill the memory.
  //
  // A message is known under two names. Delivery.key() is a number of this service, for the Worker.
  // Delivery.name() contains the key that the client chose and the path through the proxies, for
  // cancellation and grants. The envelope alone would not do, since a client may have several
  // messages in work.
  //
  // Threads. There is no lock. Everything runs on the thread of the sockets; Workers reach it with
  // SocketThread.execute(), in send() and settled(). The thread of ZeroMQ touches only the counts
  // of ReplyWriter and Client that are atomic or volatile. The Workers may be faster than the
  // thread of the sockets: RepliesInTransit bounds the replies that wait for it.
  //
  // The end. finish() only sets "closing": new messages are refused while running ones are
  // answered. The socket stays bound meanwhile, since ZeroMQ ends all connections of a socket that
  // is unbound. When the Worker is done, "closed" ends the loop, and the sockets linger.

  /** The most frames of an envelope: each proxy adds one. */
  private static final int ENVELOPE_FRAMES = 16;

  /** The messages that are read before replies are written. */
  private static final int BURST = 100;

  /** The longest pause before the next attempt to write to a client that accepts nothing. */
  private static final int LONGEST_PAUSE_MILLIS = 32;

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
  private final RepliesInTransit inTransit = new RepliesInTransit();

  /**
   * The message that ZeroMQ delivers when a client has disconnected (ZMQ_DISCONNECT_MSG). It is
   * random, so that a client cannot forge it.
   */
  private final byte[] disconnectMessage = new byte[16];

  // Used by the thread of the sockets only.
  private final Map<String, Client> clients = new HashMap<>();
  private final Set<Client> busy = new HashSet<>();
  private final Set<Client> blocked = new HashSet<>();

  /** The bytes of messages that wait until their clients read. */
  private long heldBytes;

  private final MemoryBudget.Share heldShare =
      MemoryBudget.ofProcess().share(ReplyWriter.SMALL_BYTES);

  private @Nullable ReplyWriter replies;
  private @Nullable EventPublisher events;
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
    this.worker = new Worker(acceptor.responder(), info, limits);
    this.thread = new SocketThread(fault ->
        report("a fault in ZeroMQ; if the service does not answer any more, restart it: " + fault));
    this.outbox = pub == 0
        ? null
        : new Outbox(
            "repartee-zeromq-events",
            limits.outboundBytes(),
            e -> report("an event was lost: " + e.getMessage()));
    new SecureRandom().nextBytes(disconnectMessage);
  }

  /** Binds the sockets, and starts to receive messages. */
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

  private ReplyWriter replies() {
    return Objects.requireNonNull(replies);
  }

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
      to.base().setSocketOpt(zmq.ZMQ.ZMQ_DISCONNECT_MSG, disconnectMessage);
      bind(to, settings.address());
      if (xpub != null) {
        settings.applyToEvents(xpub);
        bind(xpub, settings.address().at(pub));
        events = new EventPublisher(xpub);
      }
      replies = new ReplyWriter(to, thread, limits, this::report);
      bound.complete(port(to));
      serve(to, admission);
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
      inTransit.clear();
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
          "cannot listen on " + address.name() + ": " + reason(e)
              + "; choose another port, or an address of this machine",
          e);
    }
  }

  /** JeroMQ reports every address that cannot be bound as one in use, with a number only. */
  private static String reason(RuntimeException e) {
    return e instanceof ZMQException failure
            && failure.getErrorCode() == ZMQ.Error.EADDRINUSE.getCode()
        ? "the port is in use, or the address belongs to another machine"
        : String.valueOf(e.getMessage());
  }

  private static int port(ZMQ.Socket socket) {
    String last = socket.getLastEndpoint();
    return Integer.parseInt(last.substring(last.lastIndexOf(':') + 1));
  }

  private void serve(ZMQ.Socket router, @Nullable Admission admission) throws IOException {
    EventPublisher publisher = events;
    try (SocketPoller poller = SocketThread.poller()) {
      poller.register(thread.woken());
      poller.register(router);
      if (publisher != null) {
        poller.register(publisher.socket());
      }
      if (admission != null) {
        poller.register(admission.socket());
      }
      int pause = 1;
      while (!closed) {
        poller.poll(blocked.isEmpty() ? -1 : pause);
        if (admission != null) {
          admission.answer();
        }
        for (int i = 0; i < BURST && receive(router); i++) {
          // Replies are written after the burst.
        }
        if (publisher != null) {
          publisher.confirmSubscriptions();
        }
        blocked.removeIf(this::flush);
        thread.run();
        pause = blocked.isEmpty() ? 1 : Math.min(LONGEST_PAUSE_MILLIS, 2 * pause);
      }
    }
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
      if (envelope.size() <= ENVELOPE_FRAMES && size <= limits.headerBytes()) {
        envelope.add(last);
      }
      frame = Objects.requireNonNull(FrameMemory.receive(router, 0));
      last = frame.data();
    }
    if (envelope.size() == 1 && Arrays.equals(last, disconnectMessage)) {
      disconnected(ZmqDelivery.text(identity));
    } else if (envelope.size() > ENVELOPE_FRAMES || size > limits.headerBytes()) {
      report("a message with more than " + ENVELOPE_FRAMES + " frames or " + limits.headerBytes()
          + " bytes before its text was dropped");
    } else {
      received(envelope, last, FrameMemory.isDropped(frame));
    }
    return true;
  }

  private void received(List<byte[]> envelope, byte[] body, boolean isDropped) {
    Client client = clients.computeIfAbsent(ZmqDelivery.text(envelope.get(0)), any -> new Client());
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
    String name = ZmqDelivery.name(envelope, header.key());
    ZmqDelivery running = client.running.get(name);
    switch (header.kind()) {
      case Header.CANCEL -> {
        if (running != null) {
          worker.cancel(running.key());
        }
      }
      case Header.GRANT -> {
        if (running != null) {
          startOrHold(
              client,
              ReplyWriter.size(envelope),
              () -> worker.grant(running.key(), header.number()));
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
      if (!startOrHold(client, delivery.size(), () -> start(client, delivery))) {
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
    if (client.heldBytes > limits.outboundBytes() || !heldShare.hold(heldBytes + size)) {
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
      write(client, frames(delivery.envelope(), new byte[0])); // the sign that it has arrived
    }
    if (delivery.millis() > 0) { // then the client cannot send a cancellation
      Duration time = Duration.ofMillis(delivery.millis());
      Runnable cancel = () -> worker.cancel(delivery.key());
      delivery.until(
          TimeLimits.clock(limits).schedule(time, Runnable::run, () -> thread.execute(cancel)));
    }
    worker.serve(delivery);
  }

  /**
   * Forgets a client. Its messages are cancelled; each is removed when it is {@link #settled}, and
   * its answer is dropped.
   */
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
    replies().forget(client);
    heldBytes -= client.heldBytes;
    heldShare.hold(heldBytes);
    client.running.values().forEach(delivery -> worker.cancel(delivery.key()));
  }

  // ---------------------------------------------------------------- replies

  /** Sends a message to the client of a delivery. */
  void send(ZmqDelivery delivery, List<byte[]> envelope, byte[] body) {
    boolean fits = inTransit.add(body.length);
    byte[] kept = fits ? body : new byte[0];
    boolean runs = thread.execute(() -> {
      if (fits) {
        inTransit.remove(kept.length);
      }
      if (delivery.client().isGone) {
        if (kept.length > 0) {
          report("a reply was dropped, because its client has disconnected");
        }
      } else if (!delivery.isLost()
          && !(fits && write(delivery.client(), frames(envelope, kept)))) {
        lost(delivery);
      }
    });
    if (fits && !runs) {
      inTransit.remove(body.length);
    }
  }

  /** Sends an error instead of all further replies to a message, after one was dropped. */
  private void lost(ZmqDelivery delivery) {
    delivery.lose();
    if (delivery.client().running.get(delivery.name()) == delivery) { // else it was an error
      worker.cancel(delivery.key());
      worker.refuse(
          delivery.copy(),
          RpcError.BUSY,
          "The reply was dropped, since clients that do not read their replies hold as much"
              + " memory as heldBytes allows; the call may have run");
    }
  }

  /** Reports that a message was settled. */
  void settled(ZmqDelivery delivery) {
    thread.execute(() -> {
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
    ReplyWriter.Outcome outcome = replies().write(client, frames);
    if (outcome == ReplyWriter.Outcome.QUEUED) {
      blocked.add(client);
      busy.add(client);
    }
    return outcome != ReplyWriter.Outcome.DROPPED;
  }

  /** Writes the replies of a client, then starts held messages; returns whether nothing is left. */
  private boolean flush(Client client) {
    if (!replies().flush(client)) {
      return false;
    }
    for (int i = 0; i < BURST && !client.held.isEmpty(); i++) { // their replies come later
      Client.Held next = client.held.remove();
      client.heldBytes -= next.size();
      heldBytes -= next.size();
      next.action().run();
    }
    heldShare.hold(heldBytes);
    if (!client.held.isEmpty() || !client.queue.isEmpty()) {
      return false;
    }
    client.isReported = false;
    forgetIfIdle(client);
    return true;
  }

  // ---------------------------------------------------------------- events

  /**
   * Sends an event. Runs on the thread of the outbox, and waits for the thread of the sockets: the
   * outbox counts the bytes of an event until this method returns.
   */
  private void publish(String method, byte[] body) throws IOException {
    CompletableFuture<@Nullable Void> sent = new CompletableFuture<>();
    if (!thread.execute(() -> {
      if (events != null) {
        events.publish(method, body);
      }
      sent.complete(null);
    })) {
      throw new IOException("the service has ended");
    }
    CompletableFuture.anyOf(sent, ended).join();
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

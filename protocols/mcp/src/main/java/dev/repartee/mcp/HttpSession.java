package dev.repartee.mcp;

import dev.repartee.HttpReply;
import dev.repartee.Id;
import dev.repartee.Json;
import dev.repartee.Message;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Request;
import dev.repartee.Responder;
import dev.repartee.Service;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A client of Streamable HTTP up to 2025-11-25, over all of its connections: what runs for it, the
 * streams that it may come back to, and our own calls of it. Thread-safe.
 */
final class HttpSession implements Line {
  /** The streams that are kept for a client to come back to. */
  private static final int MAX_STREAMS = 64;

  private final String id;
  private final String owner;
  private final @Nullable Principal principal;
  private final Duration inputTimeout;
  private final Session session = new Session(this);
  private final SessionChannel channel;
  private final Peer peer;
  private final Set<Running> running = ConcurrentHashMap.newKeySet();
  private final AtomicLong lastStream = new AtomicLong();
  private final ResumableStream standing =
      new ResumableStream("0", ReplayBuffers.PROCESS, () -> {});
  private final LongSupplier nanoTime;
  private volatile long lastUsed;
  private volatile boolean used;

  /** When it was used as far as its owner has looked; guarded as that is. */
  long seenUsed;

  /** The bytes that its owner counts for it; guarded as that is. */
  long heldOfOwner;

  private volatile boolean closed;

  /** By their names; a stream that nobody can come back to leaves it. */
  private final Map<String, ResumableStream> streams = new ConcurrentHashMap<>();

  /** {@code owner} names whose it is among all that have sessions. */
  HttpSession(
      String id,
      String owner,
      @Nullable Principal principal,
      Duration inputTimeout,
      Options options,
      LongSupplier nanoTime) {
    this.id = id;
    this.owner = owner;
    this.nanoTime = nanoTime;
    this.lastUsed = nanoTime.getAsLong();
    this.principal = principal;
    this.inputTimeout = inputTimeout;
    this.channel = new SessionChannel(standing::send, options.limits().frameBytes());
    this.peer = Peer.open(channel, Service.NONE, options);
  }

  String id() {
    return id;
  }

  String owner() {
    return owner;
  }

  Session session() {
    return session;
  }

  /** The bytes that are counted for it. */
  long held() {
    return session.held();
  }

  /** Whether it is that principal's; marks it as used. */
  boolean isOf(@Nullable Principal other) {
    boolean same = Objects.equals(
        principal == null ? null : principal.name(), other == null ? null : other.name());
    if (same) {
      used = true;
      lastUsed = nanoTime.getAsLong();
    }
    return same;
  }

  /** The nanoseconds for which nothing was asked in it; none while something runs or listens. */
  long idleNanos() {
    return isRunning() || isListening() ? 0 : nanoTime.getAsLong() - lastUsed;
  }

  long lastUsed() {
    return lastUsed;
  }

  /** Whether a request has followed the one that began it. */
  boolean isUsed() {
    return used;
  }

  boolean isListening() {
    return standing.isAttached();
  }

  /** What every answer in it says. */
  Map<String, String> headers() {
    return Map.of(HttpFront.SESSION_HEADER, id);
  }

  /** Whether clients are told at once where to come back to: earlier ones might not expect it. */
  boolean primes() {
    Session.Handshake known = session.handshake();
    return known != null && known.revision().isAtLeast(Revision.V2025_11_25);
  }

  // ---------------------------------------------------------------- streams

  ResumableStream newStream() {
    long number = lastStream.incrementAndGet();
    String name = Long.toString(number);
    ResumableStream stream =
        new ResumableStream(name, ReplayBuffers.PROCESS, () -> streams.remove(name));
    streams.put(name, stream);
    ResumableStream eldest = streams.remove(Long.toString(number - MAX_STREAMS));
    if (eldest != null) {
      eldest.forget();
    }
    if (closed) { // after it was put: one of the two sees the other
      streams.remove(name);
      stream.forget();
    }
    return stream;
  }

  /** A client listens, for what belongs to no request, or comes back to a stream. */
  void listen(HttpReply reply, @Nullable String lastEvent) {
    int dash = lastEvent == null ? -1 : lastEvent.indexOf('-');
    ResumableStream stream = null;
    Long after = null;
    if (lastEvent != null && dash > 0 && lastEvent.substring(dash + 1).matches("[0-9]{1,18}")) {
      String name = lastEvent.substring(0, dash);
      after = Long.valueOf(lastEvent.substring(dash + 1));
      stream = name.equals(standing.name()) ? standing : streams.get(name);
      if (stream == null) {
        HttpFront.refuse(reply, 404, "That stream is not kept any more; ask again.");
        return;
      }
    }
    if (stream == null) {
      standing.attach(reply, headers(), null, primes());
    } else {
      stream.attach(reply, headers(), after, false);
    }
  }

  // ---------------------------------------------------------------- what runs

  /** A POST that is being served. Two are never equal, though a client may use an id twice. */
  private static final class Running {
    final Set<Id> ids;
    final Responder.Exchanged exchanged;
    final SessionReply reply;

    /** Whether it holds one message only. */
    final boolean alone;

    Running(Set<Id> ids, Responder.Exchanged exchanged, SessionReply reply, boolean alone) {
      this.ids = ids;
      this.exchanged = exchanged;
      this.reply = reply;
      this.alone = alone;
    }
  }

  /** Those requests are being served. */
  void running(List<Message> messages, Responder.Exchanged exchanged, SessionReply reply) {
    Set<Id> ids = new HashSet<>();
    for (Message message : messages) {
      if (message instanceof Request request && !request.method().equals("initialize")) {
        ids.add(request.id());
      }
    }
    Running served = new Running(ids, exchanged, reply, messages.size() == 1);
    running.add(served);
    exchanged.whenDone(() -> {
      running.remove(served);
      reply.end();
    });
    if (closed) { // after it was added: one of the two sees the other
      end(served);
    }
  }

  boolean isRunning() {
    return !running.isEmpty();
  }

  /** The client does not want the answers any more to requests with the id that these params name. */
  void cancel(@Nullable Json params) {
    Json name = params == null ? null : params.get("requestId");
    if (name == null || name.kind() != Json.Kind.STRING && name.kind() != Json.Kind.NUMBER) {
      return;
    }
    Id cancelled = Id.of(name);
    for (Running found : running) {
      if (found.ids.contains(cancelled)) {
        found.exchanged.cancel(cancelled);
        if (found.alone) {
          found.reply.end(); // the handler may take its time to notice
        }
      }
    }
  }

  /** The client answers a call of ours. */
  void deliver(byte[] response) {
    channel.deliver(response);
  }

  // ---------------------------------------------------------------- what the client is told

  @Override
  public boolean notify(String method, Json params) {
    try {
      return peer.request(method).params(params).offerNotification();
    } catch (RuntimeException e) {
      return true; // a client that is gone is told nothing
    }
  }

  @Override
  public CompletionStage<Json> ask(McpCall call, String method, Json params) {
    SessionReply carrier =
        (SessionReply) Objects.requireNonNull(call.call().attributes().get(Resumable.KEY));
    var answer = channel.through(
        carrier.streams() ? carrier::tell : standing::send,
        () -> peer.request(method).params(params).timeout(inputTimeout).send(Json.class));
    call.cancellation().onCancel(() -> answer.cancel(true));
    return answer;
  }

  /** What listens ends; what runs goes on. */
  void closing() {
    standing.end();
  }

  /** Ends it: what runs is cancelled, what listens ends. */
  void close() {
    closed = true;
    running.forEach(HttpSession::end);
    standing.end();
    standing.forget();
    streams.values().forEach(ResumableStream::forget);
    streams.clear();
    channel.close();
  }

  private static void end(Running served) {
    served.exchanged.abandon();
    served.reply.end();
  }
}

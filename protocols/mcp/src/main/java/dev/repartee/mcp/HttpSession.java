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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
  private final @Nullable Principal principal;
  private final Duration inputTimeout;
  private final Session session = new Session(this);
  private final SessionChannel channel;
  private final Peer peer;
  private final Map<Id, Running> running = new ConcurrentHashMap<>();
  private final AtomicLong lastStream = new AtomicLong();
  private final ResumableStream standing =
      new ResumableStream("0", ReplayBuffers.PROCESS, () -> {});
  private final LongSupplier nanoTime;
  private volatile long lastUsed;
  private volatile boolean closed;

  /** By their names; a stream that nobody can come back to leaves it. */
  private final Map<String, ResumableStream> streams = new ConcurrentHashMap<>();

  /**
   * A POST that is being served.
   *
   * @param alone whether it holds one message only
   */
  private record Running(Responder.Exchanged exchanged, SessionReply reply, boolean alone) {}

  HttpSession(
      String id,
      @Nullable Principal principal,
      Duration inputTimeout,
      Options options,
      LongSupplier nanoTime) {
    this.id = id;
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

  Session session() {
    return session;
  }

  /** Whether it is that principal's; marks it as used. */
  boolean isOf(@Nullable Principal other) {
    lastUsed = nanoTime.getAsLong();
    return Objects.equals(
        principal == null ? null : principal.name(), other == null ? null : other.name());
  }

  /** The nanoseconds for which nothing was asked in it; none while something runs or listens. */
  long idleNanos() {
    return running.isEmpty() && !standing.isAttached() ? nanoTime.getAsLong() - lastUsed : 0;
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

  /** Those requests are being served. */
  void running(List<Message> messages, Responder.Exchanged exchanged, SessionReply reply) {
    Running served = new Running(exchanged, reply, messages.size() == 1);
    List<Id> ids = new ArrayList<>();
    for (Message message : messages) {
      if (message instanceof Request request && !request.method().equals("initialize")) {
        ids.add(request.id());
        running.put(request.id(), served);
      }
    }
    exchanged.whenDone(() -> {
      ids.forEach(id -> running.remove(id, served));
      reply.end();
    });
  }

  /** The client does not want the answer any more that these params name. */
  void cancel(@Nullable Json params) {
    Json name = params == null ? null : params.get("requestId");
    if (name == null || name.kind() != Json.Kind.STRING && name.kind() != Json.Kind.NUMBER) {
      return;
    }
    Id cancelled = Id.of(name);
    Running found = running.remove(cancelled);
    if (found != null) {
      found.exchanged.cancel(cancelled);
      if (found.alone) {
        found.reply.end(); // the handler may take its time to notice
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
    running.values().forEach(known -> {
      known.exchanged.abandon();
      known.reply.end();
    });
    standing.end();
    standing.forget();
    closed = true;
    streams.values().forEach(ResumableStream::forget);
    streams.clear();
    channel.close();
  }
}

package dev.repartee.mcp.http;

import dev.repartee.Call;
import dev.repartee.FrameResponder;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.access.Access;
import dev.repartee.access.Principal;
import dev.repartee.internal.Clock;
import dev.repartee.json.Json;
import dev.repartee.mcp.state.ClientChannel;
import dev.repartee.mcp.state.SessionMemory;
import dev.repartee.mcp.state.SessionState;
import dev.repartee.message.Id;
import dev.repartee.message.Message;
import dev.repartee.message.Request;
import dev.repartee.transport.http.HttpReply;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A Streamable HTTP session (2025-03-26 to 2025-11-25) with all HTTP requests of its client.
 * Contains the running calls, the resumable SSE streams, and the server's requests to the client.
 * Thread-safe.
 *
 * <p>A session is open until {@link #close} and cannot be opened again. It works without a lock.
 * The thread that adds a stream or a running POST to its set reads {@code closed} afterwards.
 * {@link #close} sets {@code closed} first and reads the sets afterwards. Therefore at least one of
 * the two threads ends the stream or the POST.
 */
public final class HttpSession implements ClientChannel {
  /** The maximum number of resumable streams; a new one replaces the oldest. */
  private static final int MAX_STREAMS = 64;

  private final String id;
  private final String owner;
  private final @Nullable Principal principal;
  private final Duration inputTimeout;
  private final SessionState session;
  private final SessionChannel channel;
  private final Peer peer;
  private final Set<Running> running = ConcurrentHashMap.newKeySet();
  private final AtomicLong lastStream = new AtomicLong();
  private final ResumableStream standing =
      new ResumableStream("0", ReplayBuffers.PROCESS, () -> {});
  private final Clock clock;
  private volatile long lastUsed;
  private volatile boolean used;

  /** The {@link #lastUsed} that the owner has sorted by; guarded by {@link HttpSessions}. */
  long seenUsed;

  private volatile boolean closed;

  /**
   * The resumable streams of POSTs by their names. A stream removes itself when it has ended and
   * keeps no events.
   */
  private final Map<String, ResumableStream> streams = new ConcurrentHashMap<>();

  /**
   * {@code owner} is the name of the principal, or the address of the client; see {@link
   * HttpSessions}.
   */
  HttpSession(
      String id,
      String owner,
      @Nullable Principal principal,
      Backend backend,
      Options options,
      Clock clock) {
    this.id = id;
    this.owner = owner;
    this.session = backend.newSession(this, SessionMemory.HTTP.share(owner));
    this.clock = clock;
    this.lastUsed = clock.nanos();
    this.principal = principal;
    this.inputTimeout = backend.inputTimeout();
    this.channel = new SessionChannel(standing::send, options.limits().frameBytes());
    // This peer serves nothing: each request of the client is admitted before it gets here.
    Options open = options.toBuilder().access(Access.OPEN).build();
    this.peer = Peer.open(channel, Service.NONE, open);
  }

  public String id() {
    return id;
  }

  String owner() {
    return owner;
  }

  public SessionState session() {
    return session;
  }

  /** Returns the bytes that are counted for this session. */
  public long held() {
    return session.held();
  }

  /** Returns whether the session belongs to the principal. */
  boolean isOf(@Nullable Principal other) {
    return Objects.equals(
        principal == null ? null : principal.name(), other == null ? null : other.name());
  }

  /** Marks the session as used now. */
  void use() {
    used = true;
    lastUsed = clock.nanos();
  }

  /** Returns the nanoseconds since the last request; 0 while a call runs or the client listens. */
  long idleNanos() {
    return isRunning() || isListening() ? 0 : clock.nanos() - lastUsed;
  }

  long lastUsed() {
    return lastUsed;
  }

  /** Returns whether another request followed {@code initialize}. */
  boolean isUsed() {
    return used;
  }

  boolean isListening() {
    return standing.isAttached();
  }

  /** Returns the headers of every response in this session. */
  Map<String, String> headers() {
    return Map.of(StreamableHttpHandler.SESSION_HEADER, id);
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
    if (closed) { // read after put, see the class comment
      streams.remove(name);
      stream.forget();
    }
    return stream;
  }

  /**
   * Serves a GET: attaches it to the standing stream, or resumes the stream of {@code
   * Last-Event-ID}.
   */
  void listen(HttpReply reply, @Nullable String lastEvent) {
    int dash = lastEvent == null ? -1 : lastEvent.indexOf('-');
    ResumableStream stream = null;
    Long after = null;
    if (lastEvent != null && dash > 0 && lastEvent.substring(dash + 1).matches("[0-9]{1,18}")) {
      String name = lastEvent.substring(0, dash);
      after = Long.valueOf(lastEvent.substring(dash + 1));
      stream = name.equals(standing.name()) ? standing : streams.get(name);
      if (stream == null) {
        StreamableHttpHandler.refuse(
            reply, 404, "The stream can no longer be resumed; repeat the request.");
        return;
      }
    }
    if (stream == null) {
      standing.attach(reply, headers(), null, session.takesEmptyEvents());
    } else {
      stream.attach(reply, headers(), after, false);
    }
  }

  // ---------------------------------------------------------------- running calls

  /** A POST that is being served. Compared by identity, because a client may use an id twice. */
  static final class Running {
    private final Set<Id> ids;
    private final SessionReply reply;

    /** True if the POST has a single message. */
    private final boolean alone;

    /** The calls of the POST. Not complete while they are being started. */
    private final CompletableFuture<FrameResponder.InFlightFrame> exchanged =
        new CompletableFuture<>();

    private Running(Set<Id> ids, SessionReply reply, boolean alone) {
      this.ids = ids;
      this.reply = reply;
      this.alone = alone;
    }
  }

  /**
   * Adds the requests of a POST to the running calls. Must be called before they are served,
   * because a cancellation may arrive as soon as a handler runs.
   */
  Running begin(List<Message> messages, SessionReply reply) {
    Set<Id> ids = new HashSet<>();
    for (Message message : messages) {
      if (message instanceof Request request && !request.method().equals("initialize")) {
        ids.add(request.id());
      }
    }
    Running served = new Running(ids, reply, messages.size() == 1);
    running.add(served);
    return served;
  }

  /**
   * Keeps the calls of a POST until they are done, and applies the cancellations that arrived
   * before.
   */
  void running(Running served, FrameResponder.InFlightFrame exchanged) {
    served.exchanged.complete(exchanged);
    exchanged.whenDone(() -> {
      running.remove(served);
      served.reply.end();
    });
    if (closed) { // read after add, see the class comment
      end(served);
    }
  }

  boolean isRunning() {
    return !running.isEmpty();
  }

  /**
   * Cancels the requests with the {@code requestId} in the params of {@code
   * notifications/cancelled}.
   */
  void cancel(@Nullable Json params) {
    Json name = params == null ? null : params.get("requestId");
    if (name == null || name.kind() != Json.Kind.STRING && name.kind() != Json.Kind.NUMBER) {
      return;
    }
    Id cancelled = Id.of(name);
    for (Running found : running) {
      if (found.ids.contains(cancelled)) {
        found.exchanged.thenAccept(exchanged -> exchanged.cancel(cancelled));
        if (found.alone) {
          found.reply.end(); // now, because the handler may notice its cancellation late
        }
      }
    }
  }

  /** Delivers the client's response to a request of the server. */
  void deliver(byte[] response) {
    channel.deliver(response);
  }

  // ---------------------------------------------------------------- messages to the client

  @Override
  public boolean notify(String method, Json params) {
    try {
      return peer.request(method).params(params).tryNotify();
    } catch (RuntimeException e) {
      return true; // the session has ended; a retry would be useless
    }
  }

  @Override
  public CompletionStage<Json> ask(Call call, String method, Json params) {
    SessionReply carrier = Objects.requireNonNull(call.attributes().get(SessionReply.REPLY));
    var answer = channel.through(
        carrier.streams() ? carrier::tell : standing::send,
        () -> peer.request(method).params(params).timeout(inputTimeout).send(Json.class));
    call.cancellation().onCancel(() -> answer.cancel(true));
    return answer;
  }

  /** Ends the standing stream. Running calls continue. */
  void closing() {
    standing.end();
  }

  /** Ends the session: cancels running calls and ends its streams. */
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
    served.exchanged.thenAccept(FrameResponder.InFlightFrame::abandon);
    served.reply.end();
  }
}

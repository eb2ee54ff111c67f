package dev.repartee.mcp.client.http;

import dev.repartee.ProtocolException;
import dev.repartee.RemoteRpcException;
import dev.repartee.RpcError;
import dev.repartee.framing.Receiver;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.Limits;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.mcp.http.MirroredHeaders;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Headers;
import dev.repartee.transport.HttpSender;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.QueuedBytes;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A client of Streamable HTTP in all revisions. Each frame is a POST of its own; its answer is a
 * message or a stream of events.
 *
 * <p>In the stateless revision each POST has the headers that mirror its message ({@link
 * MirroredHeaders}), and giving a call up ends its request, which cancels the call. In the handshake
 * revisions the session of the server is sent with each request, a broken stream with event ids is
 * continued with GET and {@code Last-Event-ID} after the time that the server states, and {@link
 * #listen} opens the stream of messages that belong to no request.
 *
 * <p>Thread-safe. {@code delivery} makes sure that one thread at a time calls the receiver. It is
 * taken under the monitor of an {@link HttpAnswer}, and code of users may run under it, so nothing
 * that such code can call takes the monitor of an answer or waits for this lock elsewhere. The
 * queue's lock guards the calls that wait for a connection; nothing is called under it.
 */
public final class StreamableHttpChannel implements Channel {
  /** The maximum number of calls under way; more wait. Answers and notifications do not count. */
  private static final int CALLS = 64;

  /** The maximum number of reconnections of one stream in a row without an event. */
  private static final int RECONNECTIONS = 5;

  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration LONGEST_RETRY = Duration.ofMinutes(5);
  private static final String BOTH = "application/json, text/event-stream";
  private static final String EVENTS = "text/event-stream";

  private final HttpRequests requests;
  private final Limits limits;
  private final ChannelInfo info;
  private final ReentrantLock delivery = new ReentrantLock();
  private final ReentrantLock queueLock = new ReentrantLock();
  private final QueuedBytes queued;
  private final Deque<Post> queue = new ArrayDeque<>(); // guarded by queueLock
  private int running; // guarded by queueLock
  private final Set<Post> posts = ConcurrentHashMap.newKeySet();
  private final AtomicInteger resumptions = new AtomicInteger();
  private volatile @Nullable Receiver receiver;
  private volatile @Nullable String version;
  private volatile boolean stateless = true;
  private volatile @Nullable String session;
  private volatile @Nullable Stream general;
  private volatile boolean closed;
  private boolean told; // guarded by delivery
  private volatile Map<String, List<MirroredHeaders.Mirrored>> mirrored = Map.of();

  /**
   * Creates a channel. Opens no connection: the first request does.
   *
   * @param headers are sent with each request
   * @param sender sends the requests, and is closed with this channel
   */
  public StreamableHttpChannel(
      URI uri,
      Headers headers,
      @Nullable HttpAuthorization authorization,
      Limits limits,
      HttpSender sender) {
    this.requests = new HttpRequests(uri, headers, authorization, limits, sender);
    this.limits = limits;
    this.info = new ChannelInfo(uri.getScheme(), uri.getAuthority(), "message");
    this.queued = new QueuedBytes(limits.outboundBytes(), queueLock, uri.getAuthority());
  }

  /** Sets the revision of the following messages, and whether it is stateless. */
  public void revision(@Nullable String label, boolean stateless) {
    this.version = label;
    this.stateless = stateless;
    if (stateless) {
      session = null;
    }
  }

  /** Sets the arguments that are mirrored in headers, by tool. */
  public void mirrored(Map<String, List<MirroredHeaders.Mirrored>> mirrored) {
    this.mirrored = Map.copyOf(mirrored);
  }

  /**
   * Opens the stream of messages that belong to no request, of a handshake revision. Does not wait.
   * A server may have none.
   */
  public void listen() {
    if (!stateless && general == null && !closed) {
      Stream stream = new Stream(null);
      general = stream;
      stream.open(Duration.ZERO);
    }
  }

  /**
   * Returns a future that ends when the stream of {@link #listen} is open, or the server has shown
   * that it has none, or the first attempt has failed. Ended if there is no such stream.
   */
  public CompletableFuture<@Nullable Void> listening() {
    Stream stream = general;
    return stream == null || closed ? CompletableFuture.completedFuture(null) : stream.answered;
  }

  // ---------------------------------------------------------------- the channel

  @Override
  public void start(Receiver receiver) {
    this.receiver = receiver;
  }

  @Override
  public void resume() {
    resumptions.incrementAndGet();
    HttpThreads.READERS.execute(() -> {
      posts.forEach(Post::resume);
      Stream stream = general;
      if (stream != null) {
        stream.resume();
      }
    });
  }

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(limits.frameBytes() - 1);
  }

  @Override
  public void commit(OutboundFrame frame) {
    if (closed) {
      throw DisconnectedException.closed(info.remote(), null);
    }
    Post post = new Post(frame);
    if (!post.isCall) {
      post.send();
      return;
    }
    queueLock.lock();
    try {
      if (running >= CALLS) {
        queued.add(frame.size(), 0);
        queue.add(post);
        return;
      }
      running++;
    } finally {
      queueLock.unlock();
    }
    post.send();
  }

  /** Releases the place of a call, and sends the next that waits. */
  private void left() {
    Post next = null;
    queueLock.lock();
    try {
      running--;
      while (next == null && !queue.isEmpty()) {
        next = queue.remove();
        queued.remove(next.frame.size(), 0);
        if (next.frame.isGivenUp()) {
          next = null;
        }
      }
      if (next != null) {
        running++;
      }
    } finally {
      queueLock.unlock();
    }
    if (next != null) {
      next.send();
    }
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return queued.awaitRoom(time, unit);
  }

  @Override
  public boolean isDuplex() {
    return false;
  }

  @Override
  public boolean endGivenUp() {
    for (Post post : posts) {
      if (post.frame.isGivenUp()) {
        post.cancel();
      }
    }
    return stateless; // a handshake revision needs the message: a lost stream cancels nothing
  }

  @Override
  public ChannelInfo info() {
    return info;
  }

  /** Ends the session at the server, then the channel. */
  @Override
  public void close() {
    String id = session;
    if (id == null || closed) {
      abort(null);
      return;
    }
    closed = true;
    session = null;
    Runnable end = () -> ended(null);
    Map<String, String> headers = new LinkedHashMap<>();
    addSession(headers, id);
    requests.send("DELETE", headers, limits.closeTimeout(), new HttpSink() {
      @Override
      public void head(int status, Map<String, List<String>> headers) {}

      @Override
      public void body(byte[] body) {
        end.run();
      }

      @Override
      public boolean event(String type, byte[] data) {
        return true;
      }

      @Override
      public void ended(@Nullable Throwable cause) {
        end.run();
      }

      @Override
      public void failed(RuntimeException cause) {
        end.run();
      }
    });
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    closed = true;
    HttpThreads.READERS.execute(() -> ended(cause));
  }

  private void ended(@Nullable Throwable cause) {
    closed = true;
    Stream stream = general;
    if (stream != null) {
      stream.cancel();
    }
    posts.forEach(Post::cancel);
    requests.close();
    queueLock.lock();
    try {
      queue.clear();
      queued.clear();
      queued.close(cause);
    } finally {
      queueLock.unlock();
    }
    delivery.lock();
    try {
      Receiver to = receiver;
      if (!told && to != null) {
        told = true;
        to.closed(cause);
      }
    } finally {
      delivery.unlock();
    }
  }

  /**
   * Delivers a message to the receiver.
   *
   * @return false if the receiver does not take it now
   */
  private boolean deliver(byte[] message) {
    delivery.lock();
    try {
      Receiver to = receiver;
      if (to == null || told) {
        return true;
      }
      if (!to.ready()) {
        return false;
      }
      to.frame(message, 0, message.length);
      return true;
    } finally {
      delivery.unlock();
    }
  }

  private void violation(String what) {
    delivery.lock();
    try {
      Receiver to = receiver;
      if (to != null && !told) {
        to.violation(what);
      }
    } finally {
      delivery.unlock();
    }
  }

  private void addSession(Map<String, String> headers, @Nullable String id) {
    if (id != null) {
      headers.put("Mcp-Session-Id", id);
    }
    String revision = version;
    if (revision != null) {
      headers.put("MCP-Protocol-Version", revision);
    }
  }

  // ---------------------------------------------------------------- one message

  /** The POST of one frame, and the streams that continue its answer. */
  private final class Post implements HttpSink {
    private final OutboundFrame frame;
    private final boolean isCall;
    private @Nullable String method;
    private volatile HttpRequests.@Nullable Exchange exchange;
    private volatile @Nullable Stream resumed;
    private @Nullable String usedSession;
    private int status;
    private String type = "";
    private String lastId = "";
    private Duration retry = RETRY;
    private boolean over; // guarded by this

    /** A message that the receiver did not take. */
    private final AtomicReference<byte @Nullable []> parked = new AtomicReference<>();

    Post(OutboundFrame frame) {
      this.frame = frame;
      this.isCall = frame.isInitiated() && frame.isAwaited();
    }

    void send() {
      Map<String, String> headers = new LinkedHashMap<>();
      headers.put("Content-Type", "application/json");
      headers.put("Accept", BOTH);
      int from = frame.textStart();
      Json message = UnsafeJson.copy(frame.array(), from, frame.size());
      Json name = message.get("method");
      method = name == null ? null : name.as(String.class);
      usedSession = "initialize".equals(method) ? null : session;
      if (!"initialize".equals(method)) {
        addSession(headers, usedSession);
      }
      if (stateless && method != null) {
        MirroredHeaders.add(headers, method, message.get("params"), mirrored);
      }
      posts.add(this);
      exchange = requests.send(
          "POST",
          frame.array(),
          from,
          frame.size(),
          headers,
          isCall ? null : limits.callTimeout(),
          this);
      if (closed) {
        cancel();
      }
    }

    @Override
    public void head(int status, Map<String, List<String>> headers) {
      this.status = status;
      this.type = HttpRequests.contentType(headers);
      if ("initialize".equals(method) && status < 300) {
        String id = HttpRequests.first(headers, "mcp-session-id");
        session = id.isEmpty() ? null : id;
      }
    }

    @Override
    public void position(String lastId) {
      this.lastId = lastId;
    }

    @Override
    public void retry(Duration time) {
      retry = time.compareTo(LONGEST_RETRY) > 0 ? LONGEST_RETRY : time;
    }

    @Override
    public boolean event(String type, byte[] data) {
      return data.length == 0 || !type.equals("message") || deliver(data);
    }

    @Override
    public void ended(@Nullable Throwable cause) {
      if (!frame.isAwaited()) {
        finish();
        return;
      }
      if (!stateless && !lastId.isEmpty()) {
        Stream stream = new Stream(this);
        resumed = stream;
        stream.open(retry);
        return;
      }
      fail(
          cause == null
              ? new ProtocolException(
                  requests.uri() + " ended the event stream without an answer to '" + method + "'")
              : HttpRequests.failure(cause));
    }

    @Override
    public void body(byte[] body) {
      boolean isJson = type.equals("application/json");
      if (status < 300 && body.length == 0) {
        if (frame.isAwaited()) {
          fail(new ProtocolException(requests.uri() + " answered '" + method
              + "' with the HTTP status " + status + " and no message"));
        } else {
          finish();
        }
      } else if (status < 300 && isJson) {
        message(body);
      } else if (status < 300) {
        if (isCall) {
          fail(new ProtocolException(requests.uri() + " answered '" + method
              + "' with the content type '" + type
              + "'; expected application/json or text/event-stream" + HttpRequests.told(body)));
        } else {
          finish();
        }
      } else {
        refused(body, isJson);
      }
    }

    /** Handles a status that reports a failure. Its body may be an error of the protocol. */
    private void refused(byte[] body, boolean isJson) {
      if (status == 404 && usedSession != null) {
        if (usedSession.equals(session)) {
          session = null;
        }
        fail(new HttpRefusal(status, true, requests.uri() + " does not know the session any more"));
        return;
      }
      Json error = isJson ? error(body) : null;
      Json message = error == null ? null : UnsafeJson.wrap(body.clone());
      if (error != null && isCall && message != null) {
        Json id = message.get("id");
        if (id != null && !id.isNull()) {
          message(body);
          return;
        }
        fail(remote(error));
        return;
      }
      fail(new HttpRefusal(
          status,
          false,
          requests.uri() + " answered "
              + (method == null ? "a message" : "'" + method + "'") + " with the HTTP status "
              + status
              + (status == 401 ? "; it needs authorization" : "") + HttpRequests.told(body)));
    }

    private @Nullable Json error(byte[] body) {
      try {
        Json message = Json.parse(body);
        Json error = message.kind() == Json.Kind.OBJECT ? message.get("error") : null;
        boolean ours = error != null && error.kind() == Json.Kind.OBJECT; // OAuth has a string
        return ours ? error : null;
      } catch (JsonException e) {
        return null;
      }
    }

    private RuntimeException remote(Json error) {
      try {
        Json code = error.get("code");
        Json text = error.get("message");
        if (code != null && text != null) {
          return new RemoteRpcException(
              String.valueOf(method),
              info.other(),
              new RpcError(code.as(int.class), text.as(String.class), error.get("data")));
        }
      } catch (JsonException e) {
        // Falls through: not an error object.
      }
      return new ProtocolException(
          requests.uri() + " answered '" + method + "' with an invalid error object: " + error);
    }

    /** Delivers a message that is the whole answer, now or when the receiver takes it. */
    private void message(byte[] message) {
      int seen;
      do {
        seen = resumptions.get();
        if (deliver(message)) {
          delivered(message);
          return;
        }
        parked.set(message);
      } while (resumptions.get() != seen && parked.compareAndSet(message, null));
    }

    private void delivered(byte[] message) {
      if (frame.isAwaited()) {
        fail(new ProtocolException(requests.uri() + " did not answer '" + method
            + "' but sent another message" + HttpRequests.told(message)));
      } else {
        finish();
      }
    }

    @Override
    public void failed(RuntimeException cause) {
      fail(cause);
    }

    private void fail(RuntimeException cause) {
      if (finish()) {
        frame.refused(cause);
        if (!isCall
            && !closed
            && !(cause instanceof HttpRefusal refusal && refusal.isSessionLost())) {
          violation(String.valueOf(cause.getMessage()));
        }
      }
    }

    private boolean finish() {
      synchronized (this) {
        if (over) {
          return false;
        }
        over = true;
      }
      posts.remove(this);
      if (isCall) {
        left();
      }
      return true;
    }

    void resume() {
      byte[] waiting = parked.getAndSet(null);
      if (waiting != null) {
        message(waiting);
      }
      HttpRequests.Exchange reading = exchange;
      if (reading != null) {
        reading.resume();
      }
      Stream stream = resumed;
      if (stream != null) {
        stream.resume();
      }
    }

    void cancel() {
      finish();
      HttpRequests.Exchange reading = exchange;
      if (reading != null) {
        reading.cancel();
      }
      Stream stream = resumed;
      if (stream != null) {
        stream.cancel();
      }
    }
  }

  // ---------------------------------------------------------------- streams of a session

  /**
   * A stream of events that a GET opens: the one of messages without a request, or the rest of the
   * answer to a POST. It is opened again when it ends, while it is needed.
   */
  private final class Stream implements HttpSink {
    private final @Nullable Post post;
    private volatile HttpRequests.@Nullable Exchange exchange;
    private final CompletableFuture<@Nullable Void> answered = new CompletableFuture<>();
    private volatile boolean cancelled;
    private int attempts;
    private int status;
    private String type = "";
    private String lastId;
    private Duration retry;

    Stream(@Nullable Post post) {
      this.post = post;
      this.lastId = post == null ? "" : post.lastId;
      this.retry = post == null ? RETRY : post.retry;
    }

    private boolean isNeeded() {
      return !cancelled && !closed && (post == null || post.frame.isAwaited());
    }

    void open(Duration delay) {
      if (delay.isZero()) {
        open();
      } else {
        HttpThreads.after(delay, this::open);
      }
    }

    private void open() {
      if (!isNeeded()) {
        done();
        return;
      }
      Map<String, String> headers = new LinkedHashMap<>();
      headers.put("Accept", EVENTS);
      addSession(headers, session);
      if (!lastId.isEmpty()) {
        headers.put("Last-Event-ID", lastId);
      }
      exchange = requests.send("GET", headers, limits.callTimeout(), this);
      if (cancelled) {
        cancel();
      }
    }

    @Override
    public void head(int status, Map<String, List<String>> headers) {
      this.status = status;
      this.type = HttpRequests.contentType(headers);
      answered.complete(null);
    }

    @Override
    public void position(String lastId) {
      if (!lastId.isEmpty()) {
        this.lastId = lastId;
      }
    }

    @Override
    public void retry(Duration time) {
      retry = time.compareTo(LONGEST_RETRY) > 0 ? LONGEST_RETRY : time;
    }

    @Override
    public boolean event(String type, byte[] data) {
      attempts = 0;
      if (data.length > 0 && type.equals("message") && !deliver(data)) {
        return false;
      }
      if (post != null && !post.frame.isAwaited()) {
        HttpThreads.READERS.execute(this::done); // not here: the answer is being read
      }
      return true;
    }

    @Override
    public void ended(@Nullable Throwable cause) {
      again("the event stream ended without the answer");
    }

    @Override
    public void body(byte[] body) {
      if (post == null) {
        if (status >= 500) {
          again("HTTP status " + status);
        } else if (status == 404 && session != null && posts.isEmpty()) {
          // Otherwise the calls under way find it out, and are sent again in a new session.
          abort(new DisconnectedException(
              requests.uri() + " does not know the session any more", null));
        } // any other status: the server has no such stream
        return;
      }
      // Not a lost session, which would have the call sent again: the server may have run it.
      giveUp(new DisconnectedException(
          requests.uri() + " broke the answer to '" + post.method
              + "' off and does not continue it: HTTP status " + status,
          null));
    }

    @Override
    public void failed(RuntimeException cause) {
      again(String.valueOf(cause.getMessage()));
    }

    private void again(String why) {
      answered.complete(null);
      if (!isNeeded()) {
        done();
      } else if (++attempts > RECONNECTIONS && post != null) {
        giveUp(new DisconnectedException(
            requests.uri() + " broke the answer to '" + post.method + "' off: " + why, null));
      } else {
        open(retry.multipliedBy(attempts <= 1 ? 1 : 1L << Math.min(attempts - 1, 5)));
      }
    }

    private void giveUp(RuntimeException cause) {
      if (post != null) {
        post.fail(cause);
      }
    }

    private void done() {
      cancel();
      if (post != null) {
        post.finish();
      }
    }

    void resume() {
      HttpRequests.Exchange reading = exchange;
      if (reading != null) {
        reading.resume();
      }
    }

    void cancel() {
      cancelled = true;
      answered.complete(null);
      HttpRequests.Exchange reading = exchange;
      if (reading != null) {
        reading.cancel();
      }
    }
  }
}

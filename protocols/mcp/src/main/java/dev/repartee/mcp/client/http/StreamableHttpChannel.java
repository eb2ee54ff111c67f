package dev.repartee.mcp.client.http;

import dev.repartee.framing.Receiver;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.mcp.http.MirroredHeaders;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Headers;
import dev.repartee.transport.HttpSender;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A client of Streamable HTTP in all revisions. Each message is a POST; its answer is a message or a
 * stream of events.
 *
 * <p>In the stateless revision each POST has the headers that mirror its message ({@link
 * MirroredHeaders}), and giving a call up ends its request, which cancels the call. In the handshake
 * revisions the session of the server is sent with each request, a broken stream with event ids is
 * continued with GET and {@code Last-Event-ID} after the time that the server states, and {@link
 * #listen} opens the stream of messages that belong to no request.
 *
 * <p>Thread-safe. {@code delivery} makes sure that one thread at a time calls the receiver. It is
 * taken under the monitor of an {@link HttpAnswer}, and code of users may run under it, so nothing
 * that such code can call takes the monitor of an answer or waits for this lock elsewhere.
 */
public final class StreamableHttpChannel implements MessageChannel {
  private static final String BOTH = "application/json, text/event-stream";

  private final HttpRequests requests;
  private final Limits limits;
  private final ChannelInfo info;
  private final ReentrantLock delivery = new ReentrantLock();
  private final PostQueue queue;
  private final Set<MessagePost> posts = ConcurrentHashMap.newKeySet();
  private final AtomicInteger resumptions = new AtomicInteger();
  private volatile @Nullable Receiver receiver;
  private volatile @Nullable String version;
  private volatile boolean stateless = true;
  private volatile @Nullable String session;
  private volatile @Nullable SessionStream general;
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
    this.queue = new PostQueue(limits.outboundBytes(), uri.getAuthority(), this::roomAgain);
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
   * Waits until the server has taken the notifications that were sent before. Messages of other
   * requests may overtake them, since each has a POST of its own.
   */
  public void awaitNotifications(long time, TimeUnit unit) throws InterruptedException {
    queue.awaitOthers(time, unit);
  }

  /**
   * Opens the stream of messages that belong to no request, of a handshake revision. Does not wait.
   * A server may have none.
   */
  public void listen() {
    if (!stateless && general == null && !closed) {
      SessionStream stream = new SessionStream(this);
      general = stream;
      stream.open();
    }
  }

  /**
   * Returns a future that ends when the stream of {@link #listen} is open, or the server has shown
   * that it has none, or the first attempt has failed. Ended if there is no such stream.
   */
  public CompletableFuture<@Nullable Void> listening() {
    SessionStream stream = general;
    return stream == null || closed ? CompletableFuture.completedFuture(null) : stream.answered();
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
      posts.forEach(MessagePost::resume);
      SessionStream stream = general;
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
  public void send(OutgoingMessage message) {
    if (closed) {
      throw DisconnectedException.closed(info.remote(), null);
    }
    queue.send(new MessagePost(this, message));
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return queue.awaitRoom(time, unit);
  }

  @Override
  public boolean takesAnswers() {
    return queue.takesAnswers();
  }

  private void roomAgain() {
    Receiver to = receiver;
    if (to != null) {
      to.roomAgain();
    }
    resume();
  }

  @Override
  public boolean cancels() {
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
    // The authorization may wait for a user; the time-out of the request does not contain that.
    Future<?> late = HttpThreads.after(limits.closeTimeout(), () -> ended(null));
    Runnable end = () -> {
      late.cancel(false);
      ended(null);
    };
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
    SessionStream stream = general;
    if (stream != null) {
      stream.cancel();
    }
    posts.forEach(MessagePost::cancel);
    requests.close();
    queue.close(cause);
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
  boolean deliver(byte[] message) {
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

  void violation(String what) {
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

  // ---------------------------------------------------------------- for posts and streams

  HttpRequests requests() {
    return requests;
  }

  boolean isStateless() {
    return stateless;
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns the number of calls of {@link #resume}, to detect one that came in between. */
  int resumptions() {
    return resumptions.get();
  }

  @Nullable String session() {
    return session;
  }

  void session(@Nullable String id) {
    session = id;
  }

  /** Takes the report that the server does not know a session any more. */
  void lost(String id) {
    if (id.equals(session)) {
      session = null;
    }
  }

  /** Takes the report that the server knows no stream of the session. */
  void streamUnknown() {
    if (session != null && posts.isEmpty()) {
      // Otherwise the calls under way find it out, and are sent again in a new session.
      abort(
          new DisconnectedException(requests.uri() + " does not know the session any more", null));
    }
  }

  void entered(MessagePost post) {
    posts.add(post);
  }

  void left(MessagePost post) {
    posts.remove(post);
    queue.left(post);
  }

  /**
   * Returns the headers of a POST.
   *
   * @param method the method of the message; null for an answer or a batch
   * @param id the session of the message; null for none
   */
  Map<String, String> headers(@Nullable String method, Json message, @Nullable String id) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Type", "application/json");
    headers.put("Accept", BOTH);
    if (!"initialize".equals(method)) {
      addSession(headers, id);
    }
    if (stateless && method != null) {
      MirroredHeaders.add(headers, method, message.get("params"), mirrored);
    }
    return headers;
  }

  void addSession(Map<String, String> headers, @Nullable String id) {
    if (id != null) {
      headers.put("Mcp-Session-Id", id);
    }
    String revision = version;
    if (revision != null) {
      headers.put("MCP-Protocol-Version", revision);
    }
  }
}

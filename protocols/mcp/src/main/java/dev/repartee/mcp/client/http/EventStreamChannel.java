package dev.repartee.mcp.client.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.HttpException;
import dev.repartee.ProtocolException;
import dev.repartee.framing.Receiver;
import dev.repartee.internal.Origin;
import dev.repartee.internal.UriReference;
import dev.repartee.limits.Limits;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.HttpSender;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A client of HTTP with SSE (2024-11-05): all messages of the server arrive on one event stream,
 * whose first event states the address to which the client posts its messages. The channel ends
 * with the stream. Thread-safe.
 */
public final class EventStreamChannel implements MessageChannel {
  private final HttpRequests requests;
  private final Limits limits;
  private final ChannelInfo info;
  private final ReentrantLock delivery = new ReentrantLock();
  private final CompletableFuture<URI> endpoint = new CompletableFuture<>();
  private final PostQueue queue;
  private final Set<Post> posts = ConcurrentHashMap.newKeySet();
  private volatile HttpRequests.@Nullable Exchange stream;
  private volatile @Nullable HttpRequests messages;
  private volatile @Nullable Receiver receiver; // written under delivery
  private volatile boolean closed;
  private @Nullable Throwable cause; // guarded by delivery
  private boolean told; // guarded by delivery

  private EventStreamChannel(
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

  /**
   * Opens the event stream and waits for its first event.
   *
   * @param sender sends the requests, and is closed with the channel
   * @param wait the time to wait for that event
   * @throws IOException if there is no such stream
   * @throws ProtocolException if the address for messages is malformed or of another origin
   */
  public static EventStreamChannel connect(
      URI uri,
      Headers headers,
      @Nullable HttpAuthorization authorization,
      Limits limits,
      HttpSender sender,
      Duration wait)
      throws IOException {
    EventStreamChannel channel =
        new EventStreamChannel(uri, headers, authorization, limits, sender);
    channel.stream = channel.requests.send(
        "GET",
        Map.of("Accept", "text/event-stream"),
        channel.requests.timeout(),
        channel.new Events());
    try {
      URI to = channel.endpoint.get(wait.toNanos(), TimeUnit.NANOSECONDS);
      channel.messages = channel.requests.at(to, limits);
      return channel;
    } catch (ExecutionException e) {
      Throwable why = Objects.requireNonNullElse(e.getCause(), e);
      channel.abort(why);
      boolean isRefused = why instanceof HttpException;
      if (why instanceof ProtocolException broken && !isRefused) {
        throw broken;
      }
      String what = isRefused ? HttpRequests.shown(uri) + " has no event stream: " : "";
      throw new IOException(what + why.getMessage(), e);
    } catch (TimeoutException e) {
      channel.abort(e);
      throw new IOException(
          HttpRequests.shown(uri) + " opened an event stream without the event 'endpoint'", e);
    } catch (InterruptedException e) {
      channel.abort(e);
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while connecting to " + HttpRequests.shown(uri), e);
    }
  }

  /** Waits until the server has taken the notifications that were sent before. */
  public void awaitNotifications(long time, TimeUnit unit) throws InterruptedException {
    queue.awaitOthers(time, unit);
  }

  @Override
  public void start(Receiver receiver) {
    delivery.lock();
    try {
      this.receiver = receiver;
    } finally {
      delivery.unlock();
    }
    resume();
    if (closed) {
      HttpThreads.READERS.execute(this::tellEnd);
    }
  }

  @Override
  public void resume() {
    HttpRequests.Exchange reading = stream;
    if (reading != null) {
      HttpThreads.READERS.execute(reading::resume);
    }
  }

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(limits.frameBytes() - 1);
  }

  @Override
  public void send(OutgoingMessage message) {
    HttpRequests to = messages;
    if (closed || to == null) {
      throw DisconnectedException.closed(info.remote(), null);
    }
    queue.send(new Post(message, to));
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
  public ChannelInfo info() {
    return info;
  }

  @Override
  public void abort(@Nullable Throwable why) {
    delivery.lock();
    try {
      if (!closed) {
        closed = true;
        cause = why;
      }
    } finally {
      delivery.unlock();
    }
    HttpRequests.Exchange reading = stream;
    if (reading != null) {
      reading.cancel();
    }
    posts.forEach(Post::cancel);
    requests.close();
    queue.close(why);
    HttpThreads.READERS.execute(this::tellEnd);
  }

  private void tellEnd() {
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

  /** The event stream. */
  private final class Events implements HttpSink {
    private int status;
    private Map<String, List<String>> headers = Map.of();

    @Override
    public void head(int status, Map<String, List<String>> headers) {
      this.status = status;
      this.headers = headers;
    }

    @Override
    public boolean isEndless() {
      return true;
    }

    @Override
    public boolean event(String type, byte[] data) {
      if (type.equals("endpoint")) {
        locate(new String(data, UTF_8).strip());
        return true;
      }
      if (!type.equals("message") || data.length == 0) {
        return true;
      }
      delivery.lock();
      try {
        Receiver to = receiver;
        if (to == null || !to.ready()) {
          return closed;
        }
        if (!told) {
          to.frame(data, 0, data.length);
        }
        return true;
      } finally {
        delivery.unlock();
      }
    }

    private void locate(String text) {
      URI base = requests.address();
      try {
        URI to = URI.create(UriReference.resolve(base, text).toASCIIString());
        if (Origin.isSame(base, to)) {
          endpoint.complete(to);
          return;
        }
        endpoint.completeExceptionally(new ProtocolException(
            requests.uri() + " names an address of another origin for messages, which is refused: "
                + HttpRequests.shown(to)));
      } catch (IllegalArgumentException e) {
        endpoint.completeExceptionally(new ProtocolException(
            requests.uri() + " names an invalid address for messages: " + Endpoint.shown(text)));
      }
    }

    @Override
    public void ended(@Nullable Throwable why) {
      DisconnectedException end =
          new DisconnectedException("the event stream of " + requests.uri() + " has ended", why);
      endpoint.completeExceptionally(end);
      abort(end);
    }

    @Override
    public void body(byte[] body) {
      failed(HttpRequests.refusal(
          "HTTP status " + status + " with the content type '" + HttpRequests.contentType(headers)
              + "'" + HttpRequests.told(body),
          status,
          headers));
    }

    @Override
    public void failed(RuntimeException why) {
      endpoint.completeExceptionally(why);
      abort(why);
    }
  }

  /** The POST of a message. Its answer arrives on the event stream. */
  private final class Post implements HttpSink, PostQueue.Post {
    private final OutgoingMessage message;
    private final HttpRequests to;
    private volatile HttpRequests.@Nullable Exchange exchange;
    private final AtomicBoolean over = new AtomicBoolean();
    private int status;
    private Map<String, List<String>> headers = Map.of();

    Post(OutgoingMessage message, HttpRequests to) {
      this.message = message;
      this.to = to;
    }

    @Override
    public OutgoingMessage message() {
      return message;
    }

    @Override
    public void send() {
      posts.add(this);
      OutboundFrame text = message.text();
      exchange = to.send(
          "POST",
          text.array(),
          text.textStart(),
          text.size(),
          Map.of("Content-Type", "application/json"),
          to.timeout(),
          this);
      if (closed) {
        cancel();
      }
    }

    @Override
    public void head(int status, Map<String, List<String>> headers) {
      this.status = status;
      this.headers = headers;
    }

    @Override
    public void body(byte[] body) {
      finish();
      if (status >= 300) {
        message.fail(HttpRequests.refusal(
            requests.uri() + " answered a message with the HTTP status " + status
                + HttpRequests.told(body),
            status,
            headers));
      }
    }

    @Override
    public boolean event(String type, byte[] data) {
      return true;
    }

    @Override
    public void ended(@Nullable Throwable why) {
      finish();
    }

    @Override
    public void failed(RuntimeException why) {
      finish();
      message.fail(why);
    }

    private void finish() {
      if (over.compareAndSet(false, true)) {
        posts.remove(this);
        queue.left(this);
      }
    }

    void cancel() {
      finish();
      HttpRequests.Exchange sent = exchange;
      if (sent != null) {
        sent.cancel();
      }
    }
  }
}

package dev.repartee.mcp.client.http;

import dev.repartee.internal.Threads;
import dev.repartee.limits.Limits;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.http.HttpSender;
import dev.repartee.transport.http.client.Http1Client;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests with the sockets of the JDK, for applications without {@code repartee-netty}. It
 * is slower, but does not need another library. Uses the certificates and proxies of the JDK.
 */
public final class JdkSender implements HttpSender {
  private static final HttpClient CLIENT =
      new Http1Client(Limits.DEFAULT.connectTimeout(), Threads.growing(HttpThreads.Reader::new));

  private final URI server;
  private final Set<Pending> pending = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** Creates a sender for the server of an address. */
  public JdkSender(URI server) {
    this.server = server;
  }

  @Override
  public Sent send(Request request, Answer answer) {
    Pending sent = new Pending(answer, request.timeout());
    try {
      // Does not use resolve(), which reads a target with two leading slashes as another server.
      URI uri =
          URI.create(server.getScheme() + "://" + server.getRawAuthority() + request.target());
      HttpRequest.Builder builder = HttpRequest.newBuilder(uri)
          .method(
              request.method(),
              request.from() == request.to()
                  ? BodyPublishers.noBody()
                  : BodyPublishers.ofByteArray(
                      request.body(), request.from(), request.to() - request.from()));
      request.headers().fields().forEach(builder::setHeader);
      if (request.timeout() != null) {
        builder.timeout(request.timeout());
      }
      sent.begin(builder.build());
    } catch (IllegalArgumentException e) {
      HttpThreads.READERS.execute(() -> sent.end(e));
    }
    return sent;
  }

  @Override
  public void close() {
    closed = true;
    pending.forEach(Pending::cancel);
  }

  private final class Pending implements Sent, BodySubscriber<Boolean> {
    private final Answer answer;
    private final @Nullable Duration timeout;
    private final AtomicBoolean over = new AtomicBoolean();
    private final CompletableFuture<Boolean> body = new CompletableFuture<>();
    private volatile @Nullable CompletableFuture<?> response;
    private volatile Flow.@Nullable Subscription subscription;

    Pending(Answer answer, @Nullable Duration timeout) {
      this.answer = answer;
      this.timeout = timeout;
    }

    void begin(HttpRequest request) {
      pending.add(this);
      if (closed) {
        end(DisconnectedException.closed(server.getAuthority(), null));
        return;
      }
      CompletableFuture<HttpResponse<Boolean>> future = CLIENT.sendAsync(request, this::head);
      response = future;
      future.whenComplete((done, failure) -> {
        if (failure != null) {
          end(failure);
        }
      });
      if (over.get()) {
        future.cancel(true);
      }
    }

    private BodySubscriber<Boolean> head(HttpResponse.ResponseInfo info) {
      if (!over.get()) {
        answer.head(info.statusCode(), info.headers().map()); // names in lower case
      }
      return this;
    }

    void end(@Nullable Throwable why) {
      pending.remove(this);
      if (over.compareAndSet(false, true)) {
        answer.end(why instanceof IOException lost ? told(lost) : why);
      }
      body.complete(true);
    }

    /**
     * Returns a failure with the server in its message, which the messages of the client do not
     * contain.
     */
    private Exception told(IOException why) {
      if (why instanceof ConnectException || why instanceof HttpConnectTimeoutException) {
        return new IOException(
            "cannot connect to " + server.getScheme() + "://" + server.getRawAuthority()
                + server.getRawPath() + ": " + reason(why) + "; is something listening there?",
            why);
      } else if (why instanceof HttpTimeoutException && timeout != null) {
        return new IOException(
            server.getAuthority() + " has not answered within " + timeout.toMillis() + " ms", why);
      }
      return new DisconnectedException(
          "the connection to " + server.getAuthority() + " was lost: " + reason(why), why);
    }

    private static String reason(IOException why) {
      return why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage();
    }

    @Override
    public CompletionStage<Boolean> getBody() {
      return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      if (over.get()) {
        given.cancel();
      } else {
        given.request(1);
      }
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
      boolean more = true;
      for (ByteBuffer part : parts) {
        byte[] bytes = new byte[part.remaining()];
        part.get(bytes);
        more = over.get() || answer.content(bytes, 0, bytes.length);
      }
      if (more) {
        readOn();
      }
    }

    @Override
    public void onError(Throwable failure) {
      end(failure);
    }

    @Override
    public void onComplete() {
      end(null);
    }

    @Override
    public void readOn() {
      Flow.Subscription reading = subscription;
      if (reading != null) {
        reading.request(1);
      }
    }

    @Override
    public void cancel() {
      over.set(true);
      pending.remove(this);
      Flow.Subscription reading = subscription;
      if (reading != null) {
        reading.cancel();
      }
      CompletableFuture<?> future = response;
      if (future != null) {
        future.cancel(true);
      }
      body.complete(false);
    }
  }
}

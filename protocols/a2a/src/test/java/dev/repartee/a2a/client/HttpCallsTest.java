package dev.repartee.a2a.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Headers;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class HttpCallsTest {
  private static final int PATIENCE_MILLIS = 60_000;

  /** An agent may send the head of its answer exactly then, and no body. */
  @Test
  void anAnswerThatBeginsAtTheTimeOutClosesItsConnection() throws Exception {
    HttpCalls calls = new HttpCalls(
        new LateClient(),
        () -> Headers.NONE,
        Duration.ofSeconds(60),
        1_000,
        MemoryBudget.ofProcess());
    try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      URI uri = URI.create("http://127.0.0.1:" + server.getLocalPort() + "/");
      CompletableFuture<?> call = CompletableFuture.runAsync(
          () -> calls.get(uri, Map.of()), task -> new Thread(task).start());
      server.setSoTimeout(PATIENCE_MILLIS);
      try (Socket connection = server.accept()) {
        connection.setSoTimeout(PATIENCE_MILLIS);
        connection
            .getOutputStream()
            .write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na".getBytes(US_ASCII));
        assertThatThrownBy(call::get).hasCauseInstanceOf(DisconnectedException.class);
        assertThat(ends(connection)).as("the connection is closed").isTrue();
      }
    }
  }

  /** The first server may answer 303 after it has handled the call. */
  @Test
  void aCallThatWasRedirectedToAnAbsentServerMayHaveBeenHandled() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", exchange -> {
      exchange.getResponseHeaders().set("Location", "http://127.0.0.1:1/");
      exchange.sendResponseHeaders(303, -1);
      exchange.close();
    });
    server.start();
    HttpClient following =
        HttpClient.newBuilder().followRedirects(HttpClient.Redirect.ALWAYS).build();
    try (A2aClient client = A2aClient.builder()
        .http(following)
        .endpoint("http://127.0.0.1:" + server.getAddress().getPort(), "1.0")) {
      assertThatThrownBy(() -> client.task("t"))
          .isInstanceOfSatisfying(
              DisconnectedException.class, lost -> assertThat(lost.unsent()).isNull());
    } finally {
      server.stop(0);
    }
  }

  /** Reads the request, and returns whether the connection ends then. */
  private static boolean ends(Socket connection) throws IOException {
    try {
      connection.getInputStream().transferTo(OutputStream.nullOutputStream());
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) { // reset: the client has closed it with unread input
      return true;
    }
  }

  /** Reports a time-out when the answer has begun. */
  private static final class LateClient extends HttpClient {
    private final HttpClient client = HttpAddress.CLIENT;

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
        HttpRequest request, BodyHandler<T> handler) {
      CompletableFuture<HttpResponse<T>> late = new CompletableFuture<>() {
        @Override
        public HttpResponse<T> get(long time, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
          get();
          throw new TimeoutException();
        }
      };
      client.sendAsync(request, handler).whenComplete((response, failure) -> {
        if (failure == null) {
          late.complete(response);
        } else {
          late.completeExceptionally(failure);
        }
      });
      return late;
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
        HttpRequest request, BodyHandler<T> handler, @Nullable PushPromiseHandler<T> unused) {
      return sendAsync(request, handler);
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
        throws IOException, InterruptedException {
      return client.send(request, handler);
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
      return client.cookieHandler();
    }

    @Override
    public Optional<Duration> connectTimeout() {
      return client.connectTimeout();
    }

    @Override
    public Redirect followRedirects() {
      return client.followRedirects();
    }

    @Override
    public Optional<ProxySelector> proxy() {
      return client.proxy();
    }

    @Override
    public SSLContext sslContext() {
      return client.sslContext();
    }

    @Override
    public SSLParameters sslParameters() {
      return client.sslParameters();
    }

    @Override
    public Optional<Authenticator> authenticator() {
      return client.authenticator();
    }

    @Override
    public Version version() {
      return client.version();
    }

    @Override
    public Optional<Executor> executor() {
      return client.executor();
    }
  }
}

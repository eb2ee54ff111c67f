package dev.repartee.transport.http.client;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests with HTTP/1.1 over blocking sockets, one thread for each exchange. Thread-safe.
 *
 * <p>It replaces the client of the JDK, which never closes the socket of an answer that it cannot
 * parse, such as one with an invalid status line: not when the server closes it, and in Java 17
 * not when the client becomes unreachable. A server could use up the file descriptors of the
 * process. Here every exchange ends with its socket closed or ready for the next request.
 *
 * <p>The head of an answer has at most 64 KiB, and the names of its fields are in lower case; the
 * receiver of a body limits its size. {@link HttpRequest#timeout} limits the time until the head has
 * arrived. Cancelling the future of an answer, or its subscription, closes the socket immediately.
 * The number of exchanges is not limited: the callers limit it. Requests are sent whole, without
 * {@code Expect}. The client uses the certificates of the default {@link SSLContext}, checks the
 * name of the host, and uses the proxies of the default {@link ProxySelector}. It follows no
 * redirects, and knows neither cookies nor passwords.
 */
public final class Http1Client extends HttpClient {
  /**
   * Threads of the platform: a look-up of a name would occupy the carrier of a virtual thread, and
   * slow name servers could block all of them.
   */
  private static final Executor THREADS = Threads.growing("repartee-exchange");

  final IdleSockets idle;
  final Duration connectTimeout;
  final Executor threads;
  final Clock clock;

  /**
   * Creates a client.
   *
   * @param connectTimeout the time to resolve the host, to connect and to shake hands
   */
  public Http1Client(Duration connectTimeout) {
    this(connectTimeout, THREADS);
  }

  /**
   * Creates a client with its own threads, which call the receivers of the answers.
   *
   * @param threads runs each exchange; without a limit, since the tasks block
   */
  public Http1Client(Duration connectTimeout, Executor threads) {
    this(connectTimeout, threads, Clock.SYSTEM);
  }

  /** Creates a client with the time limits on this clock. */
  Http1Client(Duration connectTimeout, Executor threads, Clock clock) {
    this.connectTimeout = connectTimeout;
    this.threads = threads;
    this.clock = clock;
    this.idle = new IdleSockets(clock);
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    return new Http1Exchange<>(this, request, handler).start();
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, @Nullable PushPromiseHandler<T> unused) {
    return sendAsync(request, handler);
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<T>> response = sendAsync(request, handler);
    try {
      return response.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
    } finally {
      response.cancel(true);
    }
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return Optional.of(connectTimeout);
  }

  @Override
  public Redirect followRedirects() {
    return Redirect.NEVER;
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return Optional.ofNullable(ProxySelector.getDefault());
  }

  @Override
  public SSLContext sslContext() {
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("the TLS context of the JDK cannot be loaded", e);
    }
  }

  @Override
  public SSLParameters sslParameters() {
    return sslContext().getDefaultSSLParameters();
  }

  @Override
  public Version version() {
    return Version.HTTP_1_1;
  }

  @Override
  public Optional<Executor> executor() {
    return Optional.of(threads);
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return Optional.empty();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return Optional.empty();
  }
}

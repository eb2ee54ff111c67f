package dev.repartee.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.HttpRoutes;
import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.access.Access;
import dev.repartee.access.AccessException;
import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.Headers;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpService;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests whose caller is authenticated before their bodies are read. */
@Timeout(60)
class HttpGateTest {
  private static final Principal ANN = new Principal("ann", Set.of("user"), Set.of(), "test");
  private static final String CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

  private final Queue<String> ran = new ConcurrentLinkedQueue<>();
  private final Service service = Service.builder()
      .method("caller", Lane.INLINE, call -> {
        ran.add(String.valueOf(call.params()));
        return call.principal() == null ? "nobody" : call.principal().name();
      })
      .build();
  private @Nullable Server server;

  /** An authenticator that the test completes. */
  private static final class Slow implements Authenticator {
    final BlockingQueue<CompletableFuture<@Nullable Principal>> asked = new LinkedBlockingQueue<>();

    @Override
    public CompletionStage<@Nullable Principal> authenticate(Credentials credentials) {
      CompletableFuture<@Nullable Principal> stage = new CompletableFuture<>();
      asked.add(stage);
      return stage;
    }

    @Override
    public List<String> challenges() {
      return List.of("Basic realm=\"a, b\"", "Bearer");
    }
  }

  private final Slow slow = new Slow();

  private Server serve(Authenticator authenticator) throws Exception {
    server = Repartee.listen("http://127.0.0.1:0/", service, options(authenticator));
    return server;
  }

  private static Options options(Authenticator authenticator) {
    return Options.builder()
        .access(access -> access.authenticator(authenticator))
        .build();
  }

  /** Knows the callers with a header. */
  private static CompletionStage<@Nullable Principal> byHeader(Credentials credentials) {
    return CompletableFuture.completedFuture(
        "ann".equals(credentials.header("Authorization")) ? ANN : null);
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close(Duration.ZERO);
    }
  }

  private static String call(int number) {
    return "{\"jsonrpc\":\"2.0\",\"method\":\"caller\",\"params\":[" + number + "],\"id\":" + number
        + "}";
  }

  // ---------------------------------------------------------------- HTTP/1.1

  @Test
  void pipelinedRequestsAreAuthenticatedOneByOne() throws Exception {
    try (RawConnection raw = new RawConnection(serve(slow))) {
      raw.send(RawConnection.post(call(1)) + RawConnection.post("") + RawConnection.post(call(3)));
      CompletableFuture<@Nullable Principal> first = slow.asked.take();
      assertThat(ran).isEmpty();
      first.complete(ANN);
      assertThat(raw.answer()).startsWith("HTTP/1.1 200 ").contains("\"ann\"");
      slow.asked.take().complete(null);
      assertThat(raw.answer()).startsWith("HTTP/1.1 401 ");
      CompletableFuture<@Nullable Principal> third = slow.asked.take();
      assertThat(slow.asked).isEmpty();
      third.complete(ANN);
      assertThat(raw.answer()).startsWith("HTTP/1.1 200 ").contains("\"id\":3");
    }
    assertThat(ran).containsExactly("[1]", "[3]");
  }

  @Test
  void theClientMaySendTheBodyAfterTheAdmission() throws Exception {
    try (RawConnection raw = new RawConnection(serve(slow))) {
      String request = RawConnection.post(call(1), "Expect: 100-continue");
      int body = request.indexOf("\r\n\r\n") + 4;
      raw.send(request.substring(0, body));
      CompletableFuture<@Nullable Principal> asked = slow.asked.take();
      asked.complete(ANN);
      assertThat(raw.bytes(CONTINUE.length())).isEqualTo(CONTINUE);
      raw.send(request.substring(body));
      assertThat(raw.answer()).contains("\"ann\"");
    }
  }

  @Test
  void aRefusedClientNeedNotSendTheBody() throws Exception {
    try (RawConnection raw = new RawConnection(serve(slow))) {
      String request = RawConnection.post(call(1), "Expect: 100-continue");
      raw.send(request.substring(0, request.indexOf("\r\n\r\n") + 4));
      slow.asked.take().complete(null);
      assertThat(raw.answer())
          .startsWith("HTTP/1.1 401 ")
          .containsIgnoringCase("www-authenticate: Basic realm=\"a, b\"\r\n")
          .containsIgnoringCase("www-authenticate: Bearer\r\n")
          .containsIgnoringCase("connection: close\r\n");
      assertThat(raw.isOver()).isTrue();
    }
    assertThat(ran).isEmpty();
  }

  @Test
  void aRefusalHasTheStatusAndTheHeadersOfTheAuthenticator() throws Exception {
    Headers headers = Headers.NONE
        .with("Retry-After", "60")
        .with("WWW-Authenticate", "Bearer error=\"invalid_token\"");
    for (int status : new int[] {401, 429, 700}) {
      serve(new Authenticator() {
        @Override
        public CompletionStage<@Nullable Principal> authenticate(Credentials credentials) {
          return CompletableFuture.failedFuture(new AccessException(status, "Wait", headers));
        }

        @Override
        public List<String> challenges() {
          return List.of("Basic");
        }
      });
      try (RawConnection raw = new RawConnection(server)) {
        String answer = raw.send(RawConnection.post(call(1))).answer();
        if (status == 700) {
          assertThat(answer).startsWith("HTTP/1.1 503 ");
        } else {
          assertThat(answer)
              .startsWith("HTTP/1.1 " + status)
              .containsIgnoringCase("retry-after: 60")
              .contains("invalid_token")
              .doesNotContain("Basic");
        }
      }
      server.close(Duration.ZERO);
    }
  }

  @Test
  void aClientThatVanishesIsNotServed() throws Exception {
    Server at = serve(slow);
    RawConnection raw = new RawConnection(at);
    raw.send(RawConnection.post(call(1)));
    CompletableFuture<@Nullable Principal> asked = slow.asked.take();
    raw.socket().setSoLinger(true, 0);
    raw.close(); // a reset
    at.close(Duration.ZERO);
    asked.complete(ANN);
    assertThat(ran).isEmpty();
  }

  @Test
  void aClientThatEndsItsOutputIsAnswered() throws Exception {
    try (RawConnection raw = new RawConnection(serve(slow))) {
      raw.send(RawConnection.post(call(1)));
      CompletableFuture<@Nullable Principal> asked = slow.asked.take();
      raw.endOutput();
      asked.complete(ANN);
      assertThat(raw.answer()).contains("\"ann\"");
    }
  }

  @Test
  void aPreflightNeedsNoCredentials() throws Exception {
    server = Repartee.listen(
        "http://127.0.0.1:0/#origins=https://a.example", service, options(HttpGateTest::byHeader));
    try (RawConnection raw = new RawConnection(server)) {
      raw.send("OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://a.example\r\n"
          + "Access-Control-Request-Method: POST\r\n\r\n");
      assertThat(raw.answer()).startsWith("HTTP/1.1 204 ");
      assertThat(
              raw.send(RawConnection.post(call(1), "Origin: https://a.example")).answer())
          .startsWith("HTTP/1.1 401 ")
          .contains("access-control-allow-origin: https://a.example\r\n");
    }
  }

  @Test
  void aHandshakeOfAWebSocketIsRefusedAsAnHttpRequest() throws Exception {
    String handshake = "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
        + "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    try (RawConnection raw = new RawConnection(serve(slow))) {
      raw.send(handshake + "\r\n");
      slow.asked.take().complete(null);
      assertThat(raw.answer()).startsWith("HTTP/1.1 401 ");
      raw.send(handshake + "\r\n");
      slow.asked.take().complete(ANN);
      assertThat(raw.head()).startsWith("HTTP/1.1 101 ");
    }
  }

  // ---------------------------------------------------------------- paths

  @Test
  void eachPathHasItsOwnAuthenticatorOrTheOneOfTheEndpoint() throws Exception {
    HttpService pages = new HttpService() {
      @Override
      public void serve(HttpRequest request, HttpReply reply) {
        ran.add(request.path());
        reply.answer(200, Map.of(), new byte[0]);
      }

      @Override
      public Set<String> furtherPaths() {
        return Set.of("/.well-known/card", "/other");
      }
    };
    HttpRoutes routes = HttpRoutes.builder()
        .health("/health")
        .at("/rpc", service)
        .at("/own", service, options(credentials -> CompletableFuture.completedFuture(ANN)))
        .at("/pages", pages)
        .build();
    server = Repartee.listen("http://127.0.0.1:0", routes, options(HttpGateTest::byHeader));
    try (RawConnection raw = new RawConnection(server)) {
      assertThat(get(raw, "/health")).startsWith("HTTP/1.1 200 ");
      assertThat(get(raw, "/pages")).startsWith("HTTP/1.1 401 ");
      assertThat(get(raw, "/pages", "Authorization: ann")).startsWith("HTTP/1.1 200 ");
      assertThat(get(raw, "/other")).startsWith("HTTP/1.1 401 ");
      assertThat(get(raw, "/.well-known/card?x")).startsWith("HTTP/1.1 200 ");
      assertThat(get(raw, "/.well-known/../pages")).startsWith("HTTP/1.1 404 ");
      assertThat(raw.send(RawConnection.post(call(1)).replace("POST /", "POST /own"))
              .answer())
          .contains("\"ann\"");
      assertThat(raw.send(
                  RawConnection.post(call(2), "Authorization: ann").replace("POST /", "POST /rpc"))
              .answer())
          .contains("\"ann\"");
      assertThat(raw.send(RawConnection.post(call(3)).replace("POST /", "POST /rpc"))
              .answer())
          .startsWith("HTTP/1.1 401 ");
    }
    assertThat(ran).containsExactly("/pages", "/.well-known/card", "[1]", "[2]");
  }

  private static String get(RawConnection raw, String path, String... headers) throws Exception {
    String fields = headers.length == 0 ? "" : headers[0] + "\r\n";
    return raw.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n")
        .answer();
  }

  // ---------------------------------------------------------------- HTTP/2

  @Test
  void streamsOfHttp2AreAuthenticatedSeparately(@TempDir Path folder) throws Exception {
    Certificates certificates = new Certificates(folder);
    server = Repartee.listen(
        "https://localhost:0/#" + certificates.named("localhost"), service, options(slow));
    SSLContext trusting = SSLContext.getInstance("TLS");
    trusting.init(null, certificates.trust().getTrustManagers(), null);
    HttpClient http = HttpClient.newBuilder().sslContext(trusting).build();
    CompletableFuture<java.net.http.HttpResponse<String>> first = post(http, call(1));
    CompletableFuture<@Nullable Principal> askedFirst = slow.asked.take();
    CompletableFuture<java.net.http.HttpResponse<String>> second = post(http, call(2));
    CompletableFuture<@Nullable Principal> askedSecond = slow.asked.take();
    CompletableFuture<java.net.http.HttpResponse<String>> empty = post(http, "");
    CompletableFuture<@Nullable Principal> askedEmpty = slow.asked.take();
    assertThat(ran).isEmpty();
    askedSecond.complete(ANN);
    assertThat(second.get(60, SECONDS).body()).contains("\"ann\"", "\"id\":2");
    askedEmpty.complete(ANN);
    assertThat(empty.get(60, SECONDS).body()).contains("-32700");
    askedFirst.complete(null);
    assertThat(first.get(60, SECONDS).version()).isEqualTo(HttpClient.Version.HTTP_2);
    assertThat(first.get().statusCode()).isEqualTo(401);
    assertThat(first.get().headers().allValues("www-authenticate"))
        .containsExactly("Basic realm=\"a, b\"", "Bearer");
    assertThat(ran).containsExactly("[2]");
  }

  @Test
  void aStreamThatTheClientResetsIsNotServed() throws Exception {
    try (Http2Raw client = new Http2Raw(serve(slow))) {
      client.head(1).body(1, call(1)).head(3).body(3, call(3)).send();
      CompletableFuture<@Nullable Principal> first = slow.asked.take();
      CompletableFuture<@Nullable Principal> second = slow.asked.take();
      client.add(Http2Raw.RST_STREAM, 0, 1, "\0\0\0\10").send(); // CANCEL
      client.head(5).body(5, "").send();
      CompletableFuture<@Nullable Principal> afterReset = slow.asked.take();
      first.complete(ANN);
      second.complete(ANN);
      afterReset.complete(ANN);
      assertThat(List.of(client.nextEnd().stream(), client.nextEnd().stream()))
          .containsExactlyInAnyOrder(3, 5);
      assertThat(ran).containsExactly("[3]");
    }
  }

  private CompletableFuture<java.net.http.HttpResponse<String>> post(HttpClient http, String body) {
    var request = java.net.http.HttpRequest.newBuilder(
            URI.create(server.endpoint().bare().toString()))
        .header("Content-Type", "application/json")
        .POST(java.net.http.HttpRequest.BodyPublishers.ofString(body))
        .build();
    return http.sendAsync(request, BodyHandlers.ofString());
  }

  @Test
  void accessWithoutAnAuthenticatorHasNoGate() throws Exception {
    server = Repartee.listen(
        "http://127.0.0.1:0/",
        service,
        Options.builder()
            .access(Access.builder().allow(Access.ANYONE, "caller").build())
            .build());
    try (RawConnection raw = new RawConnection(server)) {
      assertThat(raw.send(RawConnection.post(call(1))).answer()).contains("\"nobody\"");
      String answer =
          raw.send(RawConnection.post(call(1).replace("caller", "other"))).answer();
      assertThat(answer).startsWith("HTTP/1.1 401 ").contains("\"code\":401");
    }
  }
}

package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.repartee.HttpFilter;
import dev.repartee.HttpRoutes;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.PeerFactory;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.TypeToken;
import dev.repartee.message.Dialect;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpResponse;
import dev.repartee.transport.http.HttpService;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests several paths of one port, the filters before them, and the facts about a request that its call has. */
@Timeout(60)
class HttpRoutesTest {
  private static final String CALL = """
      {"jsonrpc":"2.0","method":"name","id":1}""";
  private static final Options DIALECT_STATUS = Options.builder()
      .dialect(new Dialect() {
        @Override
        public int httpStatus(OptionalInt errorCode) {
          int code = errorCode.orElse(200);
          return code >= 400 && code < 600 ? code : 200;
        }
      })
      .build();

  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private final Options telling = Options.builder()
      .listener(new Listener() {
        @Override
        public void violation(ChannelInfo channel, String violation) {
          told.add(violation);
        }
      })
      .build();
  private @Nullable Server server;

  private static Service named(String name) {
    return Service.builder().method("name", call -> name).build();
  }

  private Server serve(HttpRoutes routes) throws Exception {
    server = Repartee.listen("http://127.0.0.1:0", routes, telling);
    return server;
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
  }

  private static String post(String path, String body, String... headers) {
    return RawConnection.post(body, headers).replace("POST / ", "POST " + path + " ");
  }

  private static String get(String path, String... headers) {
    String fields = Stream.of(headers).map(h -> h + "\r\n").collect(Collectors.joining());
    return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n";
  }

  // ---------------------------------------------------------------- paths

  @Test
  void eachPathOfAPortHasItsOwnServiceAndLayers() throws Exception {
    Options guarded = Options.builder()
        .layer((call, next) -> {
          if (call.header("Authorization") == null) {
            throw new RpcException(401, "Unauthorized");
          }
          return next.handle(call);
        })
        .build();
    Server at = serve(HttpRoutes.builder()
        .at("/v1", named("one"))
        .at("/v2", named("two"))
        .at("/admin", named("admin"), guarded)
        .build());
    String base = at.endpoint().toString();
    assertThat(base).matches("http://127\\.0\\.0\\.1:[0-9]+/");
    for (String scheme : List.of("http", "ws")) {
      String uri = base.replace("http:", scheme + ":");
      try (Peer one = Repartee.connect(uri + "v1");
          Peer two = Repartee.connect(uri + "v2?x=1");
          Peer admin = Repartee.connect(
              uri + "admin", Options.builder().header("Authorization", "x").build())) {
        assertThat(one.call("name", String.class)).isEqualTo("one");
        assertThat(two.call("name", String.class)).isEqualTo("two");
        assertThat(admin.call("name", String.class)).isEqualTo("admin");
      }
    }
    try (RawConnection raw = new RawConnection(at)) {
      assertThat(raw.send(post("/admin", CALL)).answer()).contains("\"code\":401");
      for (String path : List.of("/", "/v1/", "/V1", "/v1%20", "/v3")) {
        assertThat(raw.send(post(path, "")).answer()).startsWith("HTTP/1.1 404 ");
      }
      assertThat(raw.send(get("/v1")).answer()).startsWith("HTTP/1.1 405 ");
      assertThat(raw.send(post("/v1", CALL)).answer()).endsWith("\"result\":\"one\",\"id\":1}");
    }
  }

  @Test
  void anHttpServiceHasItsPathAndItsFurtherPathsForAllMethods() throws Exception {
    HttpService files = new HttpService() {
      @Override
      public void serve(HttpRequest request, HttpReply reply) {
        reply.answer(200, Map.of("content-type", "text/plain"), request.path().getBytes(UTF_8));
      }

      @Override
      public Set<String> furtherPaths() {
        return Set.of("/.well-known/files", "/v1");
      }
    };
    Server at =
        serve(HttpRoutes.builder().at("/files", files).at("/v1", named("one")).build());
    try (RawConnection raw = new RawConnection(at)) {
      assertThat(raw.send(get("/files?a")).answer()).endsWith("\r\n\r\n/files");
      assertThat(raw.send(post("/.well-known/files", "x")).answer()).endsWith("/.well-known/files");
      assertThat(raw.send(post("/v1", CALL)).answer()).contains("one");
      raw.send(RawConnection.handshake().replace("GET / ", "GET /files "));
      assertThat(raw.answer()).startsWith("HTTP/1.1 400 ").contains("No WebSocket");
    }
  }

  @Test
  void pathsAreRefusedWhereTheyHaveNoMeaning() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HttpRoutes.builder().at("v1", Service.NONE))
        .withMessageContaining("'v1'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HttpRoutes.builder().at("/v1", Service.NONE).at("/v1", Service.NONE))
        .withMessageContaining("'/v1' is taken");
    HttpRoutes routes = HttpRoutes.builder().at("/v1", Service.NONE).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Repartee.listen("tcp://127.0.0.1:0", routes))
        .withMessageContaining("tcp: has no paths");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Repartee.listen("http://127.0.0.1:0/api", routes))
        .withMessageContaining("leave the path of the URI out");
  }

  // ---------------------------------------------------------------- health and filters

  @Test
  void theHealthOfAServerIsAskedByGetBesideItsCalls() throws Exception {
    AtomicBoolean ready = new AtomicBoolean(true);
    Server at = serve(HttpRoutes.builder()
        .health("/health", ready::get)
        .filter(request -> HttpResponse.text(401, "No."))
        .at("/rpc", named("rpc"))
        .build());
    try (RawConnection raw = new RawConnection(at)) {
      assertThat(raw.send(get("/health")).answer())
          .startsWith("HTTP/1.1 200 ")
          .contains("content-type: application/json\r\n")
          .endsWith("{\"status\":\"ok\"}");
      raw.send(get("/health").replace("GET", "HEAD"));
      assertThat(raw.head()).startsWith("HTTP/1.1 200 ");
      ready.set(false);
      assertThat(raw.send(get("/health")).answer())
          .startsWith("HTTP/1.1 503 ")
          .endsWith("{\"status\":\"unavailable\"}");
    }
  }

  @Test
  void aServerThatClosesIsNotHealthy() throws Exception {
    CountDownLatch closing = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    Server at = serve(HttpRoutes.builder()
        .health("/health")
        .at("/rpc", new PeerFactory() {
          @Override
          public Peer open(Channel channel) {
            return Peer.open(channel, Service.NONE, Options.DEFAULT);
          }

          @Override
          public void closing() {
            closing.countDown();
            try {
              asked.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        })
        .build());
    try (RawConnection raw = new RawConnection(at)) {
      assertThat(raw.send(get("/health")).answer()).startsWith("HTTP/1.1 200 ");
      Thread closer = new Thread(at::close);
      closer.start();
      assertThat(closing.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(raw.send(get("/health")).answer()).startsWith("HTTP/1.1 503 ");
      asked.countDown();
      closer.join();
    }
  }

  @Test
  void aFilterRefusesRequestsAndHandshakesBeforeAnyCall() throws Exception {
    BlockingQueue<HttpRequest> seen = new LinkedBlockingQueue<>();
    HttpFilter filter = request -> {
      seen.add(request);
      return "secret".equals(request.parameter("token"))
          ? null
          : HttpResponse.text(401, "A token is needed.").header("WWW-Authenticate", "Bearer");
    };
    Server at =
        serve(HttpRoutes.builder().filter(filter).at("/rpc", named("rpc")).build());
    String uri = at.endpoint().toString().replace("http:", "ws:") + "rpc?token=secret";
    try (RawConnection raw = new RawConnection(at);
        RawConnection second = new RawConnection(at);
        Peer peer = Repartee.connect(uri)) {
      HttpRequest handshake = seen.remove();
      assertThat(handshake.method()).isEqualTo("GET");
      assertThat(handshake.header("upgrade")).isEqualTo("websocket");
      assertThat(peer.call("name", String.class)).isEqualTo("rpc");
      raw.send(RawConnection.handshake("X-A: b").replace("GET / ", "GET /rpc?token=wrong "));
      assertThat(raw.answer())
          .startsWith("HTTP/1.1 401 ")
          .contains("WWW-Authenticate: Bearer\r\n")
          .endsWith("A token is needed.\n");
      HttpRequest refused = seen.remove();
      assertThat(refused.path()).isEqualTo("/rpc");
      assertThat(refused.query()).isEqualTo("token=wrong");
      assertThat(refused.header("x-a")).isEqualTo("b");
      assertThat(refused.remoteAddress()).isEqualTo(raw.socket().getLocalSocketAddress());
      assertThat(refused.clientCertificates()).isEmpty();
      assertThat(second.send(post("/rpc?token=s%65cret", CALL)).answer()).contains("\"rpc\"");
      assertThat(second.send(post("/rpc", CALL)).answer()).startsWith("HTTP/1.1 401 ");
      assertThat(second.isOver()).isTrue(); // the body of a refused request is not read
    }
  }

  @Test
  void aFilterThatFailsAdmitsNothing() throws Exception {
    Server at = serve(HttpRoutes.builder()
        .filter(request -> {
          throw new IllegalStateException("broken");
        })
        .at("/rpc", named("rpc"))
        .build());
    try (RawConnection raw = new RawConnection(at)) {
      assertThat(raw.send(post("/rpc", CALL)).answer())
          .startsWith("HTTP/1.1 500 ")
          .doesNotContain("broken");
    }
    assertThat(told.take()).contains("filter", "broken");
  }

  @Test
  void aPreflightPassesAFilterThatDemandsCredentials() throws Exception {
    server = Repartee.listen(
        "http://127.0.0.1:0#origins=https://a.example",
        HttpRoutes.builder()
            .filter(r -> r.header("authorization") == null ? HttpResponse.text(401, "No.") : null)
            .at("/rpc", named("rpc"))
            .build());
    try (RawConnection raw = new RawConnection(server)) {
      raw.send("OPTIONS /rpc HTTP/1.1\r\nHost: localhost\r\nOrigin: https://a.example\r\n"
          + "Access-Control-Request-Method: POST\r\n\r\n");
      assertThat(raw.answer()).startsWith("HTTP/1.1 204 ");
      raw.send(post("/rpc", "", "Origin: https://a.example"));
      assertThat(raw.answer())
          .startsWith("HTTP/1.1 401 ")
          .contains("access-control-allow-origin: https://a.example\r\n");
    }
  }

  // ---------------------------------------------------------------- response headers

  @ParameterizedTest
  @ValueSource(strings = {"", "Accept: text/event-stream"})
  void aLayerAddsHeadersToTheResponseOfAnError(String accept) throws Exception {
    Options options = DIALECT_STATUS.toBuilder()
        .layer((call, next) -> {
          call.responseHeader("WWW-Authenticate", "Basic");
          call.responseHeader("www-authenticate", "Bearer realm=\"rpc\"");
          call.responseHeader("Retry-After", "7");
          throw new RpcException(429, "Slow down");
        })
        .build();
    Server at = serve(HttpRoutes.builder().at("/rpc", named("rpc"), options).build());
    try (RawConnection raw = new RawConnection(at)) {
      raw.send(post("/rpc", CALL, accept.isEmpty() ? new String[0] : new String[] {accept}));
      assertThat(raw.head())
          .startsWith(accept.isEmpty() ? "HTTP/1.1 429 " : "HTTP/1.1 200 ")
          .contains("www-authenticate: Bearer realm=\"rpc\"\r\n", "Retry-After: 7\r\n")
          .doesNotContain("Basic");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Accept: text/event-stream"})
  void aLayerSetsTheStatusOfTheResponse(String accept) throws Exception {
    Options options = Options.builder()
        .layer((call, next) -> {
          call.responseStatus(429);
          throw new RpcException(-32000, "Slow down");
        })
        .build();
    Server at = serve(HttpRoutes.builder().at("/rpc", named("rpc"), options).build());
    String[] fields = accept.isEmpty() ? new String[0] : new String[] {accept};
    try (RawConnection raw = new RawConnection(at)) {
      String answer = raw.send(post("/rpc", CALL, fields)).answer();
      assertThat(answer).startsWith("HTTP/1.1 429 ").contains("-32000");
      assertThat(raw.send(post("/rpc", CALL.replace(",\"id\":1", ""), fields)).head())
          .startsWith("HTTP/1.1 429 ");
    }
    try (RawConnection raw = new RawConnection(at)) {
      assertThat(raw.send(post("/rpc", "[" + CALL + "]")).head()).startsWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void headersOfAResponseCannotBreakItsForm() throws Exception {
    BlockingQueue<String> failures = new LinkedBlockingQueue<>();
    Service service = Service.builder()
        .method("name", call -> {
          for (String[] field : new String[][] {
            {"X", "a\r\nY: b"}, {"content-length", "1"}, {"Transfer-Encoding", "x"}, {"a b", "c"}
          }) {
            try {
              call.responseHeader(field[0], field[1]);
            } catch (IllegalArgumentException e) {
              failures.add(field[0]);
            }
          }
          return "ok";
        })
        .build();
    Server at = serve(HttpRoutes.builder().at("/rpc", service).build());
    try (RawConnection raw = new RawConnection(at)) {
      assertThat(raw.send(post("/rpc", CALL)).answer()).endsWith("\"result\":\"ok\",\"id\":1}");
    }
    assertThat(failures).containsExactly("X", "content-length", "Transfer-Encoding", "a b");
  }

  @Test
  void aHandlerOverWebSocketSetsNoResponseHeaders() throws Exception {
    Service service = Service.builder()
        .method("name", call -> {
          call.responseHeader("X", "a");
          return "ok";
        })
        .build();
    String base =
        serve(HttpRoutes.builder().at("/rpc", service).build()).endpoint().toString();
    try (Peer peer = Repartee.connect(base.replace("http:", "ws:") + "rpc")) {
      assertThat(peer.call("name", String.class)).isEqualTo("ok");
    }
  }

  @Test
  void pathsFiltersAndHeadersAreTheSameOverHttp2(@TempDir Path folder) throws Exception {
    Certificates certificates = new Certificates(folder);
    Options options = DIALECT_STATUS.toBuilder()
        .layer((call, next) -> {
          InetSocketAddress remote = call.attributes().get(Channel.REMOTE_ADDRESS);
          call.responseHeader("X-Local", String.valueOf(remote != null));
          throw new RpcException(401, "Unauthorized");
        })
        .build();
    server = Repartee.listen(
        "https://localhost:0#" + certificates.named("localhost"),
        HttpRoutes.builder().health("/health").at("/rpc", named("rpc"), options).build());
    SSLContext trusting = SSLContext.getInstance("TLS");
    trusting.init(null, certificates.trust().getTrustManagers(), null);
    HttpClient http = HttpClient.newBuilder().sslContext(trusting).build();
    String base = server.endpoint().bare().toString();
    var health = http.send(
        java.net.http.HttpRequest.newBuilder(URI.create(base + "health")).build(),
        BodyHandlers.ofString());
    assertThat(health.version()).isEqualTo(HttpClient.Version.HTTP_2);
    assertThat(health.body()).isEqualTo("{\"status\":\"ok\"}");
    var head = http.send(
        java.net.http.HttpRequest.newBuilder(URI.create(base + "health"))
            .method("HEAD", BodyPublishers.noBody())
            .build(),
        BodyHandlers.ofString());
    assertThat(head.headers().firstValueAsLong("content-length"))
        .hasValue(health.body().length());
    var refused = http.send(
        java.net.http.HttpRequest.newBuilder(URI.create(base + "rpc"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(CALL))
            .build(),
        BodyHandlers.ofString());
    assertThat(refused.statusCode()).isEqualTo(401);
    assertThat(refused.headers().firstValue("x-local")).hasValue("true");
  }

  // ---------------------------------------------------------------- facts about the request

  @ParameterizedTest
  @ValueSource(strings = {"https", "wss"})
  void aCallKnowsItsHeadersQueryAddressAndClientCertificate(String scheme, @TempDir Path folder)
      throws Exception {
    Certificates certificates = new Certificates(folder);
    Service service = Service.builder()
        .method("facts", call -> {
          InetSocketAddress remote = call.attributes().get(Channel.REMOTE_ADDRESS);
          List<X509Certificate> chain = call.attributes().get(Channel.PEER_CERTIFICATES);
          return List.of(
              String.valueOf(call.header("x-tenant")),
              String.valueOf(call.attributes().get(HttpRequest.QUERY)),
              String.valueOf(remote == null ? null : remote.getAddress().isLoopbackAddress()),
              chain == null ? "" : chain.get(0).getSubjectX500Principal().getName());
        })
        .build();
    server = Repartee.listen(
        "https://localhost:0/rpc#" + certificates.named("localhost") + "&ca=" + certificates.ca(),
        service);
    String uri = server.endpoint().bare().toString().replace("https:", scheme + ":")
        + "?room=blue#ca=" + certificates.ca() + "&" + certificates.named("ann");
    Options options = Options.builder().header("X-Tenant", "acme").build();
    try (Peer peer = Repartee.connect(uri, options)) {
      assertThat(peer.call("facts", new TypeToken<List<String>>() {}))
          .isEqualTo(List.of("acme", "room=blue", "true", "CN=ann"));
    }
  }

  @Test
  void aCallOverTcpKnowsTheAddressOfItsCaller() throws Exception {
    Service service = Service.builder()
        .method("port", call -> {
          InetSocketAddress remote = call.attributes().get(Channel.REMOTE_ADDRESS);
          return remote == null ? -1 : remote.getPort();
        })
        .build();
    server = Repartee.listen("tcp://127.0.0.1:0", service);
    String uri = server.endpoint().toString();
    try (RawConnection raw = new RawConnection(uri)) {
      raw.send("""
          {"jsonrpc":"2.0","method":"port","id":1}
          """);
      assertThat(raw.line()).contains("\"result\":" + raw.socket().getLocalPort() + ",");
    }
  }

  // ---------------------------------------------------------------- the operator

  private String answerFor(String host, String... headers) throws Exception {
    try (RawConnection raw = new RawConnection(Objects.requireNonNull(server))) {
      raw.send(RawConnection.post(CALL, headers).replace("Host: localhost", "Host: " + host));
      return raw.answer();
    }
  }

  @Test
  void theOperatorIsToldWhichOptionAdmitsAHostOrAnOrigin() throws Exception {
    server = Repartee.listen("http://127.0.0.1:0/", named("rpc"), telling);
    assertThat(answerFor("RPC.example:80"))
        .startsWith("HTTP/1.1 403 ")
        .doesNotContain("#hosts")
        .doesNotContain("rpc.example");
    assertThat(told.take()).contains("'rpc.example'", "#hosts=rpc.example", "127.0.0.1:");
    assertThat(answerFor("localhost", "Origin: https://a.example:81")).startsWith("HTTP/1.1 403 ");
    assertThat(told.take()).contains("#origins=https://a.example:81");
    assertThat(answerFor("localhost", "Origin: null")).startsWith("HTTP/1.1 403 ");
    assertThat(told.take()).contains("'null'").doesNotContain("#origins");
    assertThat(answerFor("a\u001b[31m")).startsWith("HTTP/1.1 40");
    assertThat(answerFor("x".repeat(5_000))).startsWith("HTTP/1.1 403 ");
    assertThat(told.take()).hasSizeLessThan(600).doesNotContain("\u001b");
  }

  @Test
  void aFloodOfForeignHostsDoesNotFloodTheOperator() throws Exception {
    server = Repartee.listen("http://127.0.0.1:0/", named("rpc"), telling);
    try (RawConnection raw = new RawConnection(server)) {
      for (int i = 0; i < 50; i++) {
        raw.send("GET / HTTP/1.1\r\nHost: h" + i + ".example\r\n\r\n");
        assertThat(raw.answer()).startsWith("HTTP/1.1 403 ");
      }
    }
    assertThat(told).hasSize(10);
  }

  @Test
  void everyHostIsAdmittedWhereTheUriSaysSoButNotEveryPage() throws Exception {
    server = Repartee.listen("http://127.0.0.1:0/#hosts=*", named("rpc"), telling);
    assertThat(answerFor("rpc.example")).contains("\"rpc\"");
    assertThat(answerFor("rpc.example", "Origin: https://rpc.example")).contains("\"rpc\"");
    assertThat(answerFor("rpc.example", "Origin: https://evil.example"))
        .startsWith("HTTP/1.1 403 ");
    assertThat(answerFor("a b")).startsWith("HTTP/1.1 403 ");
  }

  // ---------------------------------------------------------------- subprotocol

  @Test
  void aClientThatAsksForNoSubprotocolIsAccepted() throws Exception {
    server = Repartee.listen("http://127.0.0.1:0/#subprotocol=jsonrpc", named("rpc"));
    try (RawConnection none = new RawConnection(server);
        RawConnection same = new RawConnection(server);
        RawConnection other = new RawConnection(server)) {
      assertThat(none.send(RawConnection.handshake()).answer())
          .startsWith("HTTP/1.1 101 ")
          .doesNotContain("sec-websocket-protocol");
      assertThat(same.send(RawConnection.handshake("Sec-WebSocket-Protocol: a, jsonrpc"))
              .answer())
          .startsWith("HTTP/1.1 101 ")
          .contains("sec-websocket-protocol: jsonrpc");
      assertThat(
              other.send(RawConnection.handshake("Sec-WebSocket-Protocol: a")).answer())
          .startsWith("HTTP/1.1 400 ");
    }
  }
}

package dev.repartee.servlet;

import static dev.repartee.testkit.RawConnection.post;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.HttpException;
import dev.repartee.HttpRoutes;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import dev.repartee.limits.ClockLimits;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpResponse;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.security.Principal;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@link RpcServlet} does in every container. */
@NullMarked
@Timeout(60)
abstract class ServletContract {
  private static final String EVENTS = "Accept: text/event-stream";
  private static final String SUBTRACT = call("subtract", "[42,23]");
  private static final Attribute<String> TENANT = Attribute.named("tenant");

  /** The context of a framework, which a filter sets. */
  private static final ThreadLocal<@Nullable String> CONTEXT = new ThreadLocal<>();

  private final Methods methods = new Methods();
  private @Nullable Container container;
  private @Nullable RpcServlet servlet;

  abstract Container.Kind kind();

  /** The methods of the tests. */
  @SuppressWarnings("unused")
  public static final class Methods {
    final CountDownLatch waiting = new CountDownLatch(1);
    final CountDownLatch bothWait = new CountDownLatch(2);
    final CountDownLatch released = new CountDownLatch(1);
    final CountDownLatch cancelled = new CountDownLatch(1);
    final AtomicInteger reported = new AtomicInteger();
    final CompletableFuture<String> later = new CompletableFuture<>();

    public int subtract(int a, int b) {
      return a - b;
    }

    public Json echo(Json value) {
      return value;
    }

    public @Nullable String context() {
      return CONTEXT.get();
    }

    public CompletableFuture<String> later() {
      waiting.countDown();
      bothWait.countDown();
      return later;
    }

    public CompletableFuture<Integer> soon(int spins) {
      return CompletableFuture.supplyAsync(() -> {
        for (int i = 0; i < spins; i++) {
          Thread.onSpinWait();
        }
        return spins;
      });
    }

    public String await(Call call) throws InterruptedException {
      call.cancellation().onCancel(() -> {
        cancelled.countDown();
        released.countDown();
      });
      waiting.countDown();
      bothWait.countDown();
      released.await();
      return "released";
    }

    public String countdown(int from, Call call) {
      for (int i = from; i > 0; i--) {
        call.progress(i);
      }
      return "liftoff";
    }

    public void flood(Call call) {
      call.cancellation().onCancel(cancelled::countDown);
      String kilobyte = "x".repeat(1_000);
      while (!call.cancellation().isCancelled()) {
        call.progress(kilobyte);
        reported.incrementAndGet();
      }
    }

    public String user(Call call) {
      Principal user = call.attributes().get(RpcServlet.PRINCIPAL);
      Predicate<String> roles = call.attributes().get(RpcServlet.ROLES);
      return (user == null ? "nobody" : user.getName()) + " "
          + (roles != null && roles.test("admin"));
    }

    public String facts(Call call) {
      Attributes facts = call.attributes();
      Map<String, String> headers = facts.get(HttpRequest.HEADERS);
      return facts.get(TENANT) + " " + facts.get(HttpRequest.QUERY) + " "
          + (headers == null ? null : headers.get("x-COLOR")) + " "
          + (facts.get(Channel.REMOTE_ADDRESS) != null) + " " + call.channel().transport();
    }

    public int ask(Call call) {
      return call.peer().call("answer", int.class);
    }
  }

  private static String call(String method, String params) {
    return """
        {"jsonrpc":"2.0","method":"%s","params":%s,"id":1}""".formatted(method, params);
  }

  private static String result(String json) {
    return """
        {"jsonrpc":"2.0","result":%s,"id":1}""".formatted(json);
  }

  // ---------------------------------------------------------------- the container

  private RawConnection serve() throws Exception {
    return serve(Options.DEFAULT);
  }

  private RawConnection serve(Options options) throws Exception {
    return serve(RpcServlet.builder().service(Service.of(methods)).options(options));
  }

  private RawConnection serve(RpcServlet.Builder builder) throws Exception {
    start(new RpcServlet(builder.attributes(
        request -> Attributes.of(TENANT, String.valueOf(request.getHeader("x-tenant"))))));
    return raw();
  }

  private void start(RpcServlet started) throws Exception {
    servlet = started;
    container = kind().start("", context -> {
      FilterRegistration.Dynamic filter = context.addFilter("login", login());
      filter.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
      filter.setAsyncSupported(true);
      ServletRegistration.Dynamic rpc = context.addServlet("rpc", started);
      rpc.addMapping("/*");
      rpc.setAsyncSupported(true);
      rpc.setLoadOnStartup(1);
    });
  }

  /** Logs the user of the header {@code x-user} in, and sets the context of the thread. */
  private static Filter login() {
    return (request, response, next) -> {
      HttpServletRequest http = (HttpServletRequest) request;
      String name = http.getHeader("x-user");
      CONTEXT.set(name);
      try {
        next.doFilter(name == null ? http : new User(http, name), response);
      } finally {
        CONTEXT.remove();
      }
    };
  }

  private static final class User extends HttpServletRequestWrapper {
    private final String name;

    User(HttpServletRequest request, String name) {
      super(request);
      this.name = name;
    }

    @Override
    public Principal getUserPrincipal() {
      return () -> name;
    }

    @Override
    public boolean isUserInRole(String role) {
      return name.equals(role);
    }
  }

  private RawConnection raw() throws Exception {
    return new RawConnection(uri("http"));
  }

  private String uri(String scheme) {
    Container running = container;
    assertThat(running).isNotNull();
    return scheme + "://127.0.0.1:" + running.port() + "/";
  }

  @AfterEach
  void stop() throws Exception {
    methods.released.countDown();
    if (container != null) {
      container.close();
    }
  }

  private static boolean happens(CountDownLatch latch) throws InterruptedException {
    return latch.await(20, TimeUnit.SECONDS);
  }

  // ---------------------------------------------------------------- POST

  @Test
  void aCallIsAnsweredAndANotificationIsNot() throws Exception {
    try (RawConnection raw = serve()) {
      assertThat(raw.send(post(SUBTRACT)).answer())
          .startsWith("HTTP/1.1 200")
          .containsIgnoringCase("content-type: application/json\r\n")
          .endsWith("\r\n\r\n" + result("19"));
      String notification = """
          {"jsonrpc":"2.0","method":"subtract","params":[1,2]}""";
      assertThat(raw.send(post(notification)).answer()).startsWith("HTTP/1.1 204");
      assertThat(raw.send(post("[" + SUBTRACT + "]")).answer()).endsWith("[" + result("19") + "]");
      assertThat(raw.send(post("{")).answer()).startsWith("HTTP/1.1 200").contains("-32700");
      assertThat(raw.send(post(call("none", "[]"))).answer()).contains("-32601");
    }
  }

  @Test
  void anAnswerMayComeLater() throws Exception {
    try (RawConnection raw = serve()) {
      raw.send(post(call("later", "[]")));
      assertThat(happens(methods.waiting)).isTrue();
      methods.later.complete("done");
      assertThat(raw.answer()).endsWith(result("\"done\""));
    }
  }

  @Test
  void theStatusesAreThoseOfNetty() throws Exception {
    try (RawConnection raw = serve(RpcServlet.builder()
        .service(Service.of(methods))
        .options(Options.builder().limits(limits -> limits.frameBytes(10_000)).build())
        .notificationStatus(202))) {
      assertThat(
              raw.send(post(SUBTRACT).replace("application/json", "text/plain")).answer())
          .startsWith("HTTP/1.1 415");
    }
    try (RawConnection raw = raw()) {
      assertThat(raw.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").answer())
          .startsWith("HTTP/1.1 405")
          .containsIgnoringCase("allow: POST");
    }
    try (RawConnection raw = raw()) {
      assertThat(raw.send(post(" ".repeat(10_000))).answer()).startsWith("HTTP/1.1 413");
    }
    try (RawConnection raw = raw()) {
      raw.send(RawConnection.chunkedPost()).send("2710\r\n" + " ".repeat(10_000) + "\r\n0\r\n\r\n");
      assertThat(raw.answer()).startsWith("HTTP/1.1 413");
    }
    try (RawConnection raw = raw()) {
      assertThat(raw.send(post(SUBTRACT, "Content-Encoding: br")).answer())
          .startsWith("HTTP/1.1 415");
    }
    try (RawConnection raw = raw()) {
      assertThat(raw.send(post(SUBTRACT, "Content-Encoding: gzip")).answer())
          .startsWith("HTTP/1.1 400");
    }
    try (RawConnection raw = raw()) {
      assertThat(raw.send(post("{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[1,2]}"))
              .answer())
          .startsWith("HTTP/1.1 202");
    }
  }

  @Test
  void aCompressedBodyHasTheSameLimit() throws Exception {
    Options small =
        Options.builder().limits(limits -> limits.frameBytes(10_000)).build();
    try (RawConnection raw = serve(small)) {
      raw.send(packed(SUBTRACT));
      assertThat(raw.answer()).endsWith(result("19"));
      raw.send(packed(" ".repeat(10_000)));
      assertThat(raw.answer()).startsWith("HTTP/1.1 413");
    }
  }

  private static byte[] packed(String body) throws Exception {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(body.getBytes(UTF_8));
    }
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Encoding: gzip\r\nContent-Length: " + packed.size() + "\r\n\r\n")
        .getBytes(UTF_8));
    request.writeBytes(packed.toByteArray());
    return request.toByteArray();
  }

  @Test
  void moreRequestsThanTheLimitAreRefused() throws Exception {
    Options one = Options.builder().limits(limits -> limits.connections(1)).build();
    try (RawConnection raw = serve(one);
        RawConnection other = raw()) {
      raw.send(post(call("await", "[]")));
      assertThat(happens(methods.waiting)).isTrue();
      assertThat(other.send(post(SUBTRACT)).answer())
          .startsWith("HTTP/1.1 503")
          .containsIgnoringCase("retry-after: 1");
      methods.released.countDown();
      assertThat(raw.answer()).endsWith(result("\"released\""));
    }
  }

  @Test
  void aBodyThatComesTooSlowlyIsRefused() throws Exception {
    FakeClock clock = new FakeClock();
    Options options =
        Options.builder().limits(ClockLimits.builder(clock).build()).build();
    try (RawConnection raw = serve(options)) {
      String request = post(SUBTRACT + " ".repeat(100_000));
      raw.send(request.substring(0, 200));
      for (int at = 200; raw.socket().getInputStream().available() == 0; at++) {
        clock.advance(Duration.ofSeconds(31));
        raw.send(request.substring(at, at + 1));
      }
      assertThat(raw.answer()).startsWith("HTTP/1.1 408");
    }
  }

  @Test
  void foreignHostsAndOriginsAreRefused() throws Exception {
    try (RawConnection raw = serve(RpcServlet.builder()
        .service(Service.of(methods))
        .hosts("rpc.example")
        .origins("https://app.example"))) {
      String request = post(SUBTRACT, "Origin: https://app.example");
      assertThat(raw.send(request).answer())
          .startsWith("HTTP/1.1 200")
          .containsIgnoringCase("access-control-allow-origin: https://app.example");
    }
    for (String header : new String[] {"Origin: https://evil.example", "Origin: null"}) {
      try (RawConnection raw = raw()) {
        assertThat(raw.send(post(SUBTRACT, header)).answer()).startsWith("HTTP/1.1 403");
      }
    }
    try (RawConnection raw = raw()) {
      raw.send("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
      assertThat(raw.answer()).startsWith("HTTP/1.1 403");
    }
    try (RawConnection raw = raw()) {
      raw.send("OPTIONS / HTTP/1.1\r\nHost: rpc.example\r\nOrigin: https://app.example\r\n"
          + "Access-Control-Request-Method: POST\r\n\r\n");
      assertThat(raw.head())
          .startsWith("HTTP/1.1 204")
          .containsIgnoringCase("access-control-allow-methods: POST");
    }
    try (RawConnection raw = raw()) {
      raw.send(RawConnection.handshake("Origin: https://evil.example"));
      assertThat(raw.answer()).startsWith("HTTP/1.1 403");
    }
  }

  // ---------------------------------------------------------------- the context of the request

  @Test
  void handlersSeeTheContextOfTheThread() throws Exception {
    try (RawConnection raw = serve()) {
      String batch = "[" + call("context", "[]") + "," + call("context", "[]") + "]";
      assertThat(raw.send(post(call("context", "[]"), "x-user: ann")).answer())
          .endsWith(result("\"ann\""));
      assertThat(raw.send(post(call("context", "[]"), "x-user: ann", EVENTS + ", */*"))
              .answer())
          .endsWith(result("\"ann\""));
      assertThat(raw.send(post(batch, "x-user: bob")).answer())
          .endsWith("[" + result("\"bob\"") + "," + result("\"bob\"") + "]");
      assertThat(raw.send(post(call("context", "[]"))).answer()).endsWith(result("null"));
    }
  }

  @Test
  void theUserAndTheRolesAreOnTheCall() throws Exception {
    try (RawConnection raw =
        serve(RpcServlet.builder().service(Service.of(methods)).roles("admin"))) {
      String user = call("user", "[]");
      assertThat(raw.send(post(user)).answer()).endsWith(result("\"nobody false\""));
      assertThat(raw.send(post(user, "x-user: ann")).answer()).endsWith(result("\"ann false\""));
      assertThat(raw.send(post(user, "x-user: admin")).answer()).endsWith(result("\"admin true\""));
    }
    Options admin = Options.builder().header("x-user", "admin").build();
    try (Peer peer = Repartee.connect(uri("ws"), admin)) {
      assertThat(peer.call("user", String.class)).isEqualTo("admin true");
    }
  }

  @Test
  void theFactsOfTheRequestAreOnTheCall() throws Exception {
    try (RawConnection raw = serve()) {
      raw.send(post(call("facts", "[]"), "x-tenant: acme", "X-Color: blue")
          .replace("POST / ", "POST /?a=1 "));
      assertThat(raw.answer()).containsIgnoringCase("acme a=1 blue true http");
    }
    Options options =
        Options.builder().header("x-tenant", "acme").header("x-color", "blue").build();
    try (Peer peer = Repartee.connect(uri("ws") + "?b=2", options)) {
      assertThat(peer.call("facts", String.class)).isEqualTo("acme b=2 blue true ws");
    }
  }

  // ---------------------------------------------------------------- events

  @Test
  void progressComesAsEvents() throws Exception {
    try (RawConnection raw = serve()) {
      for (int repeated = 0; repeated < 2; repeated++) {
        raw.send(post(call("countdown", "[3]"), EVENTS));
        assertThat(raw.head()).containsIgnoringCase("content-type: text/event-stream");
        for (int i = 3; i > 0; i--) {
          assertThat(raw.event()).contains("\"value\":" + i + "}");
        }
        assertThat(raw.event()).isEqualTo("data: " + result("\"liftoff\"") + "\n\n");
        assertThat(raw.event()).isEmpty();
      }
      raw.send(post(SUBTRACT, EVENTS + ", application/json"));
      assertThat(raw.answer()).endsWith(result("19"));
    }
  }

  @Test
  void aSlowReaderReceivesEveryEvent() throws Exception {
    Options small =
        Options.builder().limits(limits -> limits.outboundBytes(1_000)).build();
    try (RawConnection raw = serve(small)) {
      raw.send(post(call("countdown", "[5000]"), EVENTS));
      raw.head();
      for (int i = 5_000; i > 0; i--) {
        assertThat(raw.event()).contains("\"value\":" + i + "}");
      }
      assertThat(raw.event()).contains("liftoff");
    }
  }

  @Test
  void aReaderOfEventsThatStopsHoldsTheHandlerBackAndItsEndCancels() throws Exception {
    Options small =
        Options.builder().limits(limits -> limits.outboundBytes(100_000)).build();
    try (RawConnection raw = serve(small)) {
      raw.send(post(call("flood", "[]"), EVENTS));
      raw.head();
      int before = -1;
      while (before != methods.reported.get()) { // until the socket and the queue are full
        before = methods.reported.get();
        assertThat(methods.cancelled.await(300, TimeUnit.MILLISECONDS)).isFalse();
      }
      assertThat(before).isLessThan(64_000);
    }
    assertThat(happens(methods.cancelled)).isTrue();
  }

  @Test
  void aClientThatDisconnectsFromASilentStreamCancelsItsCall() throws Exception {
    try (RawConnection raw = serve()) {
      raw.send(post(call("await", "[]"), EVENTS));
      assertThat(happens(methods.waiting)).isTrue();
    }
    assertThat(happens(methods.cancelled)).isTrue();
  }

  @Test
  void ourClientCallsAndCancels() throws Exception {
    try (RawConnection raw = serve();
        Peer peer = Repartee.connect(uri("http"))) {
      assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
      CallFuture<String> call = peer.callAsync("await", String.class);
      assertThat(happens(methods.waiting)).isTrue();
      call.cancel(true);
      assertThat(happens(methods.cancelled)).isTrue();
      assertThat(raw.send(post(SUBTRACT)).answer()).endsWith(result("19"));
    }
  }

  // ---------------------------------------------------------------- WebSocket

  @Test
  void aWebSocketCallsInBothDirections() throws Exception {
    Service answers = Service.builder().method("answer", call -> 42).build();
    try (RawConnection raw = serve();
        Peer peer = Repartee.connect(uri("ws"), answers, Options.DEFAULT)) {
      assertThat(peer.call("ask", int.class)).isEqualTo(42);
      String large = "x".repeat(1 << 20);
      assertThat(peer.call("echo", String.class, large)).isEqualTo(large);
      assertThat(raw.upgrade()
              .send(RawConnection.frame(0x82, SUBTRACT.getBytes(UTF_8)))
              .message())
          .isEqualTo("<binary> " + result("19"));
      assertThat(server().peers()).hasSize(2);
    }
  }

  private Server server() {
    RpcServlet running = servlet;
    assertThat(running).isNotNull();
    return running.server();
  }

  @Test
  void aWebSocketThatEndsAbruptlyCancelsItsCalls() throws Exception {
    try (RawConnection raw = serve()) {
      raw.upgrade().send(RawConnection.frame(0x81, call("await", "[]").getBytes(UTF_8)));
      assertThat(happens(methods.waiting)).isTrue();
    }
    assertThat(happens(methods.cancelled)).isTrue();
  }

  @Test
  void aCallOverAWebSocketIsCancelled() throws Exception {
    try (RawConnection raw = serve();
        Peer peer = Repartee.connect(uri("ws"))) {
      CallFuture<String> call = peer.callAsync("await", String.class);
      assertThat(happens(methods.waiting)).isTrue();
      call.cancel(true);
      assertThat(happens(methods.cancelled)).isTrue();
      assertThat(raw.send(post(SUBTRACT)).answer()).endsWith(result("19"));
    }
  }

  @Test
  void aReaderOfAWebSocketThatStopsIsCutOff() throws Exception {
    Options quick = Options.builder()
        .limits(limits -> limits.outboundBytes(100_000).drainTimeout(Duration.ofMillis(500)))
        .build();
    try (RawConnection raw = serve(quick)) {
      raw.upgrade().send(RawConnection.frame(0x81, call("flood", "[]").getBytes(UTF_8)));
      assertThat(happens(methods.cancelled)).isTrue();
      assertThat(methods.reported.get()).isLessThan(64_000);
    }
  }

  @Test
  void aClientThatAnswersNoPingIsCutOff() throws Exception {
    Options quick = Options.builder()
        .limits(limits -> limits.pingInterval(Duration.ofMillis(200)))
        .build();
    try (RawConnection raw = serve(quick)) {
      raw.upgrade().send(RawConnection.frame(0x81, call("await", "[]").getBytes(UTF_8)));
      assertThat(raw.bytes(2)).isEqualTo("\u0089\0"); // a ping
      assertThat(happens(methods.cancelled)).isTrue();
    }
  }

  @Test
  void aMessageThatIsTooLargeEndsTheWebSocket() throws Exception {
    Options small =
        Options.builder().limits(limits -> limits.frameBytes(10_000)).build();
    try (RawConnection raw = serve(small)) {
      raw.upgrade().send(RawConnection.frame(0x81, " ".repeat(10_000).getBytes(UTF_8)));
      assertThat(raw.message()).startsWith("<close> 1009");
    }
    try (RawConnection raw = raw()) {
      raw.upgrade().send(RawConnection.frame(0x82, new byte[] {'"', (byte) 0xC3, '"'}));
      assertThat(raw.message()).startsWith("<close> 1007");
    }
  }

  @Test
  void charactersOutsideOfTheBasicPlaneArrive() throws Exception {
    try (RawConnection raw = serve();
        Peer peer = Repartee.connect(uri("ws"))) {
      String faces = "x" + "\uD83D\uDE00".repeat(50_000);
      assertThat(peer.call("echo", String.class, faces)).isEqualTo(faces);
      assertThat(raw.send(post(SUBTRACT)).answer()).endsWith(result("19"));
    }
  }

  @Test
  void aCallThatEndsWhileTheThreadOfTheContainerReturnsIsAnswered() throws Exception {
    start(new RpcServlet(Service.of(methods), Options.DEFAULT));
    for (int round = 0; round < 40; round++) {
      try (RawConnection raw = raw()) { // Tomcat ends it after 100 requests
        for (int i = 0; i < 50; i++) {
          String spins = String.valueOf(50 * round + i);
          assertThat(raw.send(post(call("soon", "[" + spins + "]"))).answer())
              .endsWith(result(spins));
        }
      }
    }
  }

  @Test
  void theResponseToAMalformedBodyHasNoStackTrace() throws Exception {
    try (RawConnection raw = serve(RpcServlet.builder().service(Service.of(methods)))) {
      raw.send("""
          POST / HTTP/1.1\r
          Host: localhost\r
          Content-Type: application/json\r
          Transfer-Encoding: chunked\r
          \r
          ZZZ\r
          """);
      assertThat(raw.answer()).startsWith("HTTP/1.1 400").doesNotContain("Exception");
    }
  }

  @Test
  void aSubprotocolIsAgreedOn() throws Exception {
    try (RawConnection raw =
        serve(RpcServlet.builder().service(Service.of(methods)).subprotocol("jsonrpc"))) {
      raw.send(RawConnection.handshake("Sec-WebSocket-Protocol: jsonrpc"));
      assertThat(raw.head())
          .startsWith("HTTP/1.1 101")
          .containsIgnoringCase("sec-websocket-protocol: jsonrpc");
    }
    try (RawConnection raw = raw()) {
      raw.send(RawConnection.handshake("Sec-WebSocket-Protocol: other"));
      assertThat(raw.answer()).startsWith("HTTP/1.1 400");
    }
  }

  @Test
  void withoutAsynchronousRequestsCallsAreServedAndEventsAreNot() throws Exception {
    RpcServlet plain = new RpcServlet(
        Service.of(methods),
        Options.builder().limits(limits -> limits.connections(3)).build());
    container = kind().start("", context -> context.addServlet("rpc", plain).addMapping("/*"));
    for (int repeated = 0; repeated < 5; repeated++) { // a failed request leaves the count
      try (RawConnection raw = raw()) {
        assertThat(raw.send(post(SUBTRACT)).answer()).endsWith(result("19"));
      }
      try (RawConnection raw = raw()) {
        raw.send(post(SUBTRACT, EVENTS));
        assertThat(raw.head()).startsWith("HTTP/1.1 500");
      }
    }
  }

  // ---------------------------------------------------------------- paths

  @Test
  void routesHaveTheirPathsAndAHealthCheck() throws Exception {
    HttpRoutes routes = HttpRoutes.builder()
        .health("/health")
        .filter(request -> request.path().equals("/shut") ? HttpResponse.empty(401) : null)
        .at("/rpc", Service.of(methods))
        .at("/shut", Service.of(methods))
        .at("/page", (request, reply) -> reply.answer(200, Map.of(), request.body()))
        .build();
    start(new RpcServlet(routes, Options.DEFAULT));
    try (RawConnection raw = raw()) {
      assertThat(raw.send(post(SUBTRACT).replace("POST / ", "POST /rpc ")).answer())
          .endsWith(result("19"));
      assertThat(raw.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").answer())
          .endsWith("{\"status\":\"ok\"}");
      assertThat(raw.send(post("[]").replace("POST / ", "POST /page ")).answer())
          .endsWith("[]");
      assertThat(raw.send(post("").replace("POST / ", "POST /shut ")).answer())
          .startsWith("HTTP/1.1 401");
      assertThat(raw.send(post("").replace("POST / ", "POST /none ")).answer())
          .startsWith("HTTP/1.1 404");
    }
  }

  @Test
  void mcpIsServedOnAPath() throws Exception {
    McpServer mcp = McpServer.builder("weather", "1")
        .tool(Tool.named("forecast").description("Answers").handle((call, arguments) -> "sun"))
        .build();
    start(new RpcServlet(HttpRoutes.builder().at("/mcp", mcp.peers()).build(), Options.DEFAULT));
    try (McpClient client = McpClient.connect(uri("http") + "mcp")) {
      assertThat(client.call("forecast", null).toString()).contains("sun");
    }
  }

  @Test
  void aServiceOfHttpStreamsEvents() throws Exception {
    CompletableFuture<HttpReply> streams = new CompletableFuture<>();
    CountDownLatch gone = new CountDownLatch(1);
    HttpRoutes routes = HttpRoutes.builder()
        .at("/events", (request, reply) -> {
          reply.onGone(gone::countDown);
          reply.stream(Map.of("x-stream", "1"));
          streams.complete(reply);
        })
        .build();
    start(new RpcServlet(routes, Options.DEFAULT));
    try (RawConnection raw = raw()) {
      raw.send("GET /events HTTP/1.1\r\nHost: localhost\r\n" + EVENTS + "\r\n\r\n");
      assertThat(raw.head()).containsIgnoringCase("x-stream: 1");
      streams.get().send(HttpReply.Event.of("one".getBytes(UTF_8)));
      assertThat(raw.event()).isEqualTo("data: one\n\n");
    }
    assertThat(happens(gone)).isTrue();
  }

  // ---------------------------------------------------------------- the end

  @Test
  void closingLetsRunningCallsFinishAndAsksClientsToClose() throws Exception {
    try (RawConnection raw = serve();
        RawConnection other = raw()) {
      raw.send(post(call("await", "[]")));
      assertThat(happens(methods.waiting)).isTrue();
      CompletableFuture<Void> closed =
          CompletableFuture.runAsync(() -> server().close(Duration.ofSeconds(20)));
      String late = answerOnceItCloses(other);
      assertThat(late).endsWith(result("19"));
      assertThat(closed).isNotDone();
      methods.released.countDown();
      assertThat(raw.answer()).endsWith(result("\"released\""));
      closed.get(20, TimeUnit.SECONDS);
    }
  }

  private static String answerOnceItCloses(RawConnection connection) throws Exception {
    String answer;
    do {
      answer = connection.send(post(SUBTRACT)).answer();
    } while (!answer.toLowerCase(Locale.ROOT).contains("connection: close"));
    return answer;
  }

  @Test
  void closingWaitsOnlyForCallsThatHaveBegunBefore() throws Exception {
    try (RawConnection raw = serve();
        RawConnection other = raw();
        RawConnection after = raw()) {
      raw.send(post(call("later", "[]")));
      assertThat(happens(methods.waiting)).isTrue();
      CompletableFuture<Void> closed =
          CompletableFuture.runAsync(() -> server().close(Duration.ofMinutes(5)));
      answerOnceItCloses(other);
      after.send(post(call("await", "[]")));
      assertThat(happens(methods.bothWait)).isTrue();
      assertThat(closed).isNotDone();
      methods.later.complete("late");
      assertThat(raw.answer()).endsWith(result("\"late\""));
      closed.get(20, TimeUnit.SECONDS);
      methods.released.countDown();
      assertThat(after.answer()).endsWith(result("\"released\""));
    }
  }

  @Test
  void closingCancelsCallsThatTakeTooLong() throws Exception {
    try (RawConnection raw = serve()) {
      raw.send(post(call("await", "[]")));
      assertThat(happens(methods.waiting)).isTrue();
      server().close(Duration.ZERO);
      assertThat(happens(methods.cancelled)).isTrue();
      assertThat(raw.answer()).startsWith("HTTP/1.1 503");
    }
  }

  @Test
  void aServletThatIsDestroyedRefusesRequests() throws Exception {
    try (RawConnection raw = serve()) {
      servlet().destroy();
      assertThat(raw.send(post(SUBTRACT)).answer()).startsWith("HTTP/1.1 503");
      assertThatThrownBy(() -> Repartee.connect(uri("ws")).close())
          .hasRootCauseInstanceOf(HttpException.class);
    }
  }

  private RpcServlet servlet() {
    RpcServlet running = servlet;
    assertThat(running).isNotNull();
    return running;
  }
}

package dev.repartee.netty;

import static dev.repartee.testkit.RawConnection.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.internal.FakeClock;
import dev.repartee.limits.ClockLimits;
import dev.repartee.limits.Limits;
import dev.repartee.message.Dialect;
import dev.repartee.message.RpcError;
import dev.repartee.testkit.RawConnection;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpServerTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final String CALL = """
      {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}""";
  private static final String ANSWER = """
      {"jsonrpc":"2.0","result":19,"id":1}""";

  private final Methods methods = new Methods();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private @Nullable Server server;

  private Server serve(String options, Limits limits) throws Exception {
    return serve(options, Options.builder().limits(limits).build());
  }

  private Server serve(String options, Options settings) throws Exception {
    server = Repartee.listen("http://127.0.0.1:0/" + options, methods.service(), settings);
    return server;
  }

  private Server serve() throws Exception {
    return serve("", Options.DEFAULT);
  }

  @AfterEach
  void close() {
    methods.released.countDown();
    if (server != null) {
      server.close();
    }
  }

  private HttpRequest.Builder request(Server at, String body) {
    return HttpRequest.newBuilder(URI.create(at.endpoint().bare().toString()))
        .timeout(Duration.ofSeconds(20))
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(body));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), BodyHandlers.ofString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "application/json-rpc",
        "application/jsonrequest",
        "application/json; charset=utf-8",
        "Application/JSON;charset=\"UTF-8\""
      })
  void theContentTypesOfJsonRpcAreTaken(String type) throws Exception {
    Server at = serve();
    assertThat(send(request(at, CALL).setHeader("Content-Type", type)).body()).isEqualTo(ANSWER);
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/plain", "application/json; charset=iso-8859-1", "application/xml"})
  void otherContentTypesAreRefused(String type) throws Exception {
    Server at = serve();
    HttpResponse<String> refusal = send(request(at, CALL).setHeader("Content-Type", type));
    assertThat(refusal.statusCode()).isEqualTo(415);
    assertThat(refusal.body())
        .startsWith("The request has Content-Type: " + type
            + ", but calls are sent with Content-Type: application/json.");
  }

  @Test
  void aLongContentTypeIsShownInPart() throws Exception {
    Server at = serve();
    String type = "text/" + "x".repeat(1000);
    assertThat(send(request(at, CALL).setHeader("Content-Type", type)).body())
        .startsWith("The request has Content-Type: text/xxx")
        .hasSizeLessThan(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"200", "202", "204"})
  void theStatusOfANotificationIsAnOptionOfTheEndpoint(String status) throws Exception {
    try (Server at =
        Repartee.listen("http://127.0.0.1:0/#notification-status=" + status, Service.NONE)) {
      HttpResponse<String> response = send(request(at, """
          {"jsonrpc":"2.0","method":"hello"}"""));
      assertThat(response.statusCode()).isEqualTo(Integer.parseInt(status));
      assertThat(response.body()).isEmpty();
      assertThat(send(request(at, CALL)).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void anotherStatusOfANotificationIsRefused() {
    assertThatThrownBy(
            () -> Repartee.listen("http://127.0.0.1:0/#notification-status=404", Service.NONE))
        .hasMessageContaining("the notification-status '404'; known are 200, 202, 204");
  }

  @Test
  void anAddressOfAnotherMachineIsNotBlamedOnThePort() {
    assertThatThrownBy(() -> Repartee.listen("http://192.0.2.1:7000/", Service.NONE))
        .hasMessageContaining("192.0.2.1 is no address of this machine")
        .hasMessageNotContaining("port");
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"})
  void onlyPostIsAllowed(String method) throws Exception {
    Server at = serve();
    HttpResponse<String> response =
        send(request(at, CALL).method(method, HttpRequest.BodyPublishers.noBody()));
    assertThat(response.statusCode()).isEqualTo(405);
    assertThat(response.headers().firstValue("allow")).hasValue("POST");
  }

  @Test
  void aByteOrderMarkBeforeAMessageIsSkipped() throws Exception {
    try (RawConnection raw = new RawConnection(serve())) {
      raw.send(RawConnection.post("\u00ef\u00bb\u00bf" + CALL));
      assertThat(raw.answer()).startsWith("HTTP/1.1 200 ").endsWith(ANSWER);
      raw.send(RawConnection.post("\u00ef\u00bb\u00bf\u00ef\u00bb\u00bf" + CALL));
      assertThat(raw.answer()).contains("-32700");
    }
  }

  @Test
  void nullParamsAreToleratedWhereTheUriSaysSo() throws Exception {
    String call = """
        {"method":"subtract","params":null,"id":0,"jsonrpc":"2.0"}""";
    Server strict = serve();
    try (RawConnection raw = new RawConnection(strict)) {
      raw.send(RawConnection.post(call));
      assertThat(raw.answer()).contains("-32600");
    } finally {
      strict.close();
    }
    try (RawConnection raw = new RawConnection(serve("#lenient=null-params", Options.DEFAULT))) {
      raw.send(RawConnection.post(call));
      assertThat(raw.answer()).contains("-32602"); // a request that lacks its arguments
    }
  }

  @Test
  void nothingIsServedAtAnotherPath() throws Exception {
    Server at = serve();
    HttpResponse<String> response =
        send(request(at, CALL).uri(URI.create(at.endpoint().bare() + "other")));
    assertThat(response.statusCode()).isEqualTo(404);
  }

  @Test
  void aBodyTooLargeIsRefusedBeforeItIsRead() throws Exception {
    Server at = serve("", Limits.builder().frameBytes(1_000).build());
    try (RawConnection raw = new RawConnection(at)) {
      raw.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          + "Content-Length: 1000\r\n\r\n");
      assertThat(raw.answer()).startsWith("HTTP/1.1 413 ");
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void aBodyInChunksIsRefusedWhereItBecomesTooLarge() throws Exception {
    Server at = serve("", Limits.builder().frameBytes(1_000).build());
    try (RawConnection raw = new RawConnection(at)) {
      String chunk = "190\r\n" + " ".repeat(400) + "\r\n";
      raw.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          + "Transfer-Encoding: chunked\r\n\r\n" + chunk + chunk + chunk);
      assertThat(raw.answer()).startsWith("HTTP/1.1 413 ");
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void aBodyInChunksIsServed() throws Exception {
    Server at = serve();
    try (RawConnection raw = new RawConnection(at)) {
      String rest = CALL.substring(10);
      raw.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          + "Transfer-Encoding: chunked\r\n\r\na\r\n" + CALL.substring(0, 10) + "\r\n"
          + Integer.toHexString(rest.length()) + "\r\n" + rest + "\r\n0\r\n\r\n");
      assertThat(raw.answer()).endsWith(ANSWER);
    }
  }

  @Test
  void pipelinedRequestsAreAnsweredInTheirOrder() throws Exception {
    Server at = serve();
    try (RawConnection raw = new RawConnection(at)) {
      raw.send(post("""
          {"jsonrpc":"2.0","method":"await","id":0}"""));
      methods.waiting.await(60, TimeUnit.SECONDS);
      StringBuilder flood = new StringBuilder();
      for (int i = 1; i <= 500; i++) {
        flood.append(post(CALL.replace(":1}", ":" + i + "}")));
      }
      raw.send(flood.toString());
      methods.released.countDown();
      assertThat(raw.answer()).endsWith("\"result\":\"released\",\"id\":0}");
      for (int i = 1; i <= 500; i++) {
        assertThat(raw.answer()).endsWith("\"result\":19,\"id\":" + i + "}");
      }
    }
  }

  @Test
  void theConnectionIsKeptUnlessTheClientSaysOtherwise() throws Exception {
    Server at = serve();
    try (RawConnection raw = new RawConnection(at)) {
      assertThat(raw.send(post(CALL)).answer()).endsWith(ANSWER);
      assertThat(raw.send(post(CALL, "Connection: close")).answer()).endsWith(ANSWER);
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void theAnswerRevealsNothingAboutTheServer() throws Exception {
    Server at = serve();
    try (RawConnection raw = new RawConnection(at)) {
      assertThat(raw.send(post(CALL)).answer())
          .isEqualTo("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: "
              + ANSWER.length() + "\r\n\r\n" + ANSWER);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"rebound.example", "rebound.example:80", "127.0.0.1.example", "10.0.0.1"})
  void aForeignHostIsRefused(String host) throws Exception {
    Server at = serve();
    try (RawConnection raw = new RawConnection(at)) {
      raw.send(post(CALL).replace("Host: localhost", "Host: " + host));
      assertThat(raw.answer()).startsWith("HTTP/1.1 403 ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "LOCALHOST:8645", "127.0.0.1", "127.1.2.3:80", "[::1]:8645"})
  void aLoopbackHostIsServed(String host) throws Exception {
    Server at = serve();
    try (RawConnection raw = new RawConnection(at)) {
      raw.send(post(CALL).replace("Host: localhost", "Host: " + host));
      assertThat(raw.answer()).endsWith(ANSWER);
    }
  }

  @Test
  void aHostThatWasListedIsServed() throws Exception {
    Server at = serve("#hosts=rpc.example", Options.DEFAULT);
    try (RawConnection raw = new RawConnection(at)) {
      raw.send(post(CALL).replace("Host: localhost", "Host: rpc.example"));
      assertThat(raw.answer()).endsWith(ANSWER);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://localhost/", "HTTP://127.0.0.1:8645", "https://[::1]?query"})
  void aTargetInAbsoluteFormIsServed(String target) throws Exception {
    Server at = serve();
    try (RawConnection raw = new RawConnection(at)) {
      raw.send(post(CALL).replace("POST / ", "POST " + target + " "));
      assertThat(raw.answer()).endsWith(ANSWER);
    }
  }

  @Test
  void theHostOfATargetInAbsoluteFormReplacesTheHeader() throws Exception {
    Server at = serve();
    for (String target : List.of("http://rebound.example/", "http:///", "http://a@localhost/")) {
      try (RawConnection raw = new RawConnection(at)) {
        raw.send(post(CALL).replace("POST / ", "POST " + target + " "));
        assertThat(raw.answer()).startsWith("HTTP/1.1 403 ");
      }
    }
    try (RawConnection raw = new RawConnection(at)) {
      raw.send(post(CALL)
          .replace("POST / ", "POST http://localhost/ ")
          .replace("Host: localhost", "Host: rebound.example"));
      assertThat(raw.answer()).endsWith(ANSWER);
    }
  }

  @Test
  void aRequestWithoutAHostIsRefused() throws Exception {
    Server at = serve();
    try (RawConnection raw = new RawConnection(at)) {
      raw.send(post(CALL).replace("Host: localhost\r\n", ""));
      assertThat(raw.answer()).startsWith("HTTP/1.1 400 ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://evil.example", "null", "http://localhost.evil.example"})
  void aPageOfAnotherOriginIsRefused(String origin) throws Exception {
    Server at = serve();
    assertThat(send(request(at, CALL).header("Origin", origin)).statusCode()).isEqualTo(403);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://localhost:3000", "https://127.0.0.1", "http://[::1]:8080"})
  void aPageOfThisMachineIsServed(String origin) throws Exception {
    Server at = serve();
    HttpResponse<String> response = send(request(at, CALL).header("Origin", origin));
    assertThat(response.body()).isEqualTo(ANSWER);
    assertThat(response.headers().firstValue("access-control-allow-origin")).isEmpty();
  }

  @Test
  void aPageOfAListedOriginIsServedAndMayReadTheAnswer() throws Exception {
    Server at = serve("#origins=https://a.example,https://b.example", Options.DEFAULT);
    HttpResponse<String> response = send(request(at, CALL).header("Origin", "https://b.example"));
    assertThat(response.body()).isEqualTo(ANSWER);
    assertThat(response.headers().firstValue("access-control-allow-origin"))
        .hasValue("https://b.example");
    HttpResponse<String> preflight = send(request(at, "")
        .method("OPTIONS", BodyPublishers.noBody())
        .header("Origin", "https://a.example")
        .header("Access-Control-Request-Method", "POST"));
    assertThat(preflight.statusCode()).isEqualTo(204);
    assertThat(preflight.headers().firstValue("access-control-allow-methods")).hasValue("POST");
  }

  @Test
  void aHeaderThatIsTooLargeIsRefused() throws Exception {
    Server at = serve("", Limits.builder().headerBytes(1_000).build());
    try (RawConnection raw = new RawConnection(at)) {
      raw.send(post(CALL, "X-Long: " + "x".repeat(2_000)));
      assertThat(raw.answer()).startsWith("HTTP/1.1 431 ");
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void bytesThatAreNotHttpAreRefused() throws Exception {
    Server at = serve();
    try (RawConnection raw = new RawConnection(at)) {
      raw.send(CALL + "\r\n\r\n");
      assertThat(raw.answer()).startsWith("HTTP/1.1 400 ");
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void aHeaderThatDoesNotComeInTimeIsRefused() throws Exception {
    Server at =
        serve("", Limits.builder().firstByteTimeout(Duration.ofMillis(100)).build());
    try (RawConnection raw = new RawConnection(at)) {
      raw.send("POST / HTTP/1.1\r\nHost: loc");
      assertThat(raw.answer())
          .startsWith("HTTP/1.1 408 ")
          .containsIgnoringCase("repartee-unsent: 1\r\n");
      assertThat(raw.isOver()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"P", "POST / HTTP/1.1\r\n", "POST / HTTP/1.1\r\nHost: loc"})
  void aLaterHeaderThatDoesNotComeInTimeIsRefused(String part) throws Exception {
    Server at =
        serve("", Limits.builder().firstByteTimeout(Duration.ofMillis(100)).build());
    try (RawConnection raw = EarlyBytes.send(at, post(CALL) + part)) {
      assertThat(raw.answer()).endsWith(ANSWER);
      assertThat(raw.answer()).startsWith("HTTP/1.1 408 ");
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void aLaterHeaderThatDoesNotComeInTimeCostsNoEarlierAnswer() throws Exception {
    Server at =
        serve("", Limits.builder().firstByteTimeout(Duration.ofMillis(100)).build());
    String await = post("""
        {"jsonrpc":"2.0","method":"await","id":0}""");
    try (RawConnection late = EarlyBytes.send(at, await + "POST / HT")) {
      assertThat(methods.waiting.await(60, TimeUnit.SECONDS)).isTrue();
      try (RawConnection other = new RawConnection(at)) {
        assertThat(other.send("POST / HT").answer()).startsWith("HTTP/1.1 408 ");
      }
      methods.released.countDown();
      assertThat(late.answer()).endsWith("\"result\":\"released\",\"id\":0}");
      assertThat(late.answer()).startsWith("HTTP/1.1 408 ");
      assertThat(late.isOver()).isTrue();
    }
  }

  @Test
  void aBodyIsAskedForOnceTheRequestsBeforeItAreAnswered() throws Exception {
    FakeClock clock = new FakeClock();
    Server at = serve("", ClockLimits.builder(clock).firstByteTimeout(SECOND).build());
    String call = post(CALL, "Expect: 100-continue");
    String head = call.substring(0, call.length() - CALL.length());
    String await = post("""
        {"jsonrpc":"2.0","method":"await","id":0}""");
    try (RawConnection raw = new RawConnection(at).send(await + head)) {
      assertThat(methods.waiting.await(60, TimeUnit.SECONDS)).isTrue();
      // The time for a request to arrive passes; a client that must wait is not late.
      for (int i = 0; i < 2; i++) {
        clock.awaitCheck();
        clock.advance(SECOND.multipliedBy(2));
      }
      clock.awaitCheck();
      methods.released.countDown();
      assertThat(raw.answer()).endsWith("\"result\":\"released\",\"id\":0}");
      assertThat(raw.answer()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
      assertThat(raw.send(CALL).answer()).endsWith(ANSWER);
      assertThat(raw.send(head).answer()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
      assertThat(raw.send(CALL + call).answer()).endsWith(ANSWER);
    }
  }

  @Test
  void aBodyThatDoesNotComeInTimeIsRefused() throws Exception {
    Server at =
        serve("", Limits.builder().firstByteTimeout(Duration.ofMillis(100)).build());
    try (RawConnection raw = new RawConnection(at)) {
      raw.send(post(CALL).substring(0, 120));
      assertThat(raw.answer()).startsWith("HTTP/1.1 408 ");
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void anIdleConnectionEnds() throws Exception {
    Server at = serve("", Limits.builder().idleTimeout(Duration.ofMillis(100)).build());
    try (RawConnection raw = EarlyBytes.send(at, post(CALL))) {
      assertThat(raw.answer()).endsWith(ANSWER);
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void aConnectionPastTheLimitIsClosed() throws Exception {
    Server at = serve("", Limits.builder().connections(1).build());
    try (RawConnection first = new RawConnection(at)) {
      assertThat(first.send(post(CALL)).answer()).endsWith(ANSWER);
      try (RawConnection second = new RawConnection(at)) {
        assertThat(second.isOver()).isTrue();
      }
      assertThat(first.send(post(CALL)).answer()).endsWith(ANSWER);
    }
  }

  @Test
  void aClientThatDisconnectsCancelsItsCalls() throws Exception {
    Server at = serve();
    try (RawConnection raw = new RawConnection(at)) {
      raw.send(post("""
          {"jsonrpc":"2.0","method":"linger","id":0}"""));
      assertThat(methods.waiting.await(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(methods.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aHandlerFindsTheHeadersInAnyCase() throws Exception {
    Server at = serve();
    String call = """
        {"jsonrpc":"2.0","method":"header","params":["X-TENANT"],"id":1}""";
    assertThat(send(request(at, call).header("x-tenant", "acme")).body()).isEqualTo("""
        {"jsonrpc":"2.0","result":"acme","id":1}""");
  }

  @Test
  void theStatusIsTheDialects() throws Exception {
    Server at = serve(
        "",
        Options.builder()
            .dialect(new Dialect() {
              @Override
              public int httpStatus(OptionalInt errorCode) {
                return errorCode.orElse(0) == RpcError.METHOD_NOT_FOUND ? 404 : 200;
              }

              @Override
              public int httpNotificationStatus() {
                return 202;
              }
            })
            .build());
    assertThat(send(request(at, CALL)).statusCode()).isEqualTo(200);
    assertThat(send(request(at, CALL.replace("subtract", "none"))).statusCode()).isEqualTo(404);
    assertThat(send(request(at, """
        {"jsonrpc":"2.0","method":"update"}""")).statusCode()).isEqualTo(202);
  }

  @Test
  void anEmptyHostIsLoopbackAndTheRealPortIsTold() throws Exception {
    try (Server at = Repartee.listen("http://:0/rpc", methods.service())) {
      assertThat(at.port()).isPositive();
      assertThat(at.endpoint()).hasToString("http://127.0.0.1:" + at.port() + "/rpc");
      assertThat(send(request(at, CALL)).body()).isEqualTo(ANSWER);
    }
  }

  @Test
  void anAnswerGivenByTheThreadThatReadsLetsItReadOn() throws Exception {
    Queue<CompletableFuture<Integer>> answers = new ConcurrentLinkedQueue<>();
    AtomicReference<EventExecutor> loop = new AtomicReference<>();
    CountDownLatch full = new CountDownLatch(HttpConnection.IN_FLIGHT);
    Service later = Service.builder()
        .method("later", Lane.INLINE, call -> {
          CompletableFuture<Integer> answer = new CompletableFuture<>();
          if (full.getCount() == 0) {
            answer.complete(2);
          }
          answers.add(answer);
          loop.set(ThreadExecutorMap.currentExecutor());
          full.countDown();
          return answer;
        })
        .build();
    server = Repartee.listen("http://127.0.0.1:0/", later);
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(post("""
          {"jsonrpc":"2.0","method":"later","id":1}""").repeat(HttpConnection.IN_FLIGHT + 1));
      assertThat(full.await(60, TimeUnit.SECONDS)).isTrue();
      loop.get().execute(() -> answers.forEach(answer -> answer.complete(1)));
      for (int i = 0; i < HttpConnection.IN_FLIGHT; i++) {
        assertThat(raw.answer()).endsWith("\"result\":1,\"id\":1}");
      }
      assertThat(raw.answer()).endsWith("\"result\":2,\"id\":1}");
    }
  }

  @Test
  void nobodyConnectsToAServerThatWasClosed() throws Exception {
    for (int i = 0; i < 100; i++) {
      Server at = serve();
      at.close();
      assertThatIOException().isThrownBy(() -> new RawConnection(at));
    }
  }
}

package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.repartee.Batch;
import dev.repartee.CallFuture;
import dev.repartee.HttpException;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.limits.Limits;
import dev.repartee.transport.DisconnectedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpClientTest {
  private static final String ANSWER = """
      {"jsonrpc":"2.0","result":19,"id":1}\
      """;

  private final Methods methods = new Methods();
  private @Nullable Server server;
  private @Nullable HttpServer foreign;

  private String serve(Limits limits) throws IOException {
    server = Repartee.listen(
        "http://127.0.0.1:0/rpc",
        methods.service(),
        Options.builder().limits(limits).build());
    return server.endpoint().toString();
  }

  /** Starts another server, which gives every request the same response. */
  private String foreign(int status, @Nullable String encoding, byte[] body) throws IOException {
    HttpServer other =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    foreign = other;
    other.createContext("/", exchange -> {
      exchange.getRequestBody().readAllBytes();
      if (encoding != null) {
        exchange.getResponseHeaders().set("Content-Encoding", encoding);
      }
      exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    });
    other.start();
    return "http://127.0.0.1:" + other.getAddress().getPort() + "/";
  }

  private static byte[] gzip(byte[] plain) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream packed = new GZIPOutputStream(out)) {
      packed.write(plain);
    }
    return out.toByteArray();
  }

  @AfterEach
  void close() {
    methods.released.countDown();
    if (server != null) {
      server.close();
    }
    if (foreign != null) {
      foreign.stop(0);
    }
  }

  @Test
  void callsNotificationsAndBatchesAreRequestsOfTheirOwn() throws Exception {
    try (Peer peer = Repartee.connect(serve(Limits.DEFAULT))) {
      assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
      peer.notify("update", 1, 2);
      Batch batch = peer.batch();
      CallFuture<Long> sum = batch.callAsync("sum", Long.class, 1, 2, 4);
      CallFuture<Integer> none = batch.callAsync("none", Integer.class);
      batch.send();
      assertThat(sum.get(60, TimeUnit.SECONDS)).isEqualTo(7);
      assertThatThrownBy(() -> none.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(RpcException.class);
    }
  }

  @Test
  void theHeadersOfTheCallerArriveWithEveryRequest() throws Exception {
    Options options = Options.builder()
        .header("Authorization", "Bearer abc")
        .header("content-type", "application/json-rpc")
        .build();
    try (Peer peer = Repartee.connect(serve(Limits.DEFAULT), options)) {
      for (int i = 0; i < 2; i++) {
        assertThat(peer.call("header", String.class, "authorization")).isEqualTo("Bearer abc");
        assertThat(peer.call("header", String.class, "content-type"))
            .isEqualTo("application/json-rpc");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Content-Length", "transfer-encoding", "Connection", "Upgrade", "Sec-WebSocket-Key"
      })
  void aHeaderThatDelimitsMessagesIsTheTransportsOwn(String name) throws Exception {
    Options options = Options.builder().header(name, "1").build();
    for (String uri : List.of("http://127.0.0.1:1/", "ws://127.0.0.1:1/")) {
      assertThatThrownBy(() -> Repartee.connect(uri, options))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("the header " + name + " is set by the transport itself");
    }
  }

  @Test
  void manyCallsShareAFewConnections() throws Exception {
    try (Peer peer = Repartee.connect(serve(Limits.builder().connections(64).build()))) {
      List<CallFuture<Long>> calls = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        calls.add(peer.callAsync("sum", Long.class, i, 1));
      }
      for (int i = 0; i < 200; i++) {
        assertThat(calls.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i + 1);
      }
    }
  }

  @Test
  void aRefusalFailsItsOwnCallAndNoOther() throws Exception {
    try (Peer peer = Repartee.connect(serve(Limits.builder().frameBytes(1_000).build()))) {
      assertThatThrownBy(() -> peer.call("echo", String.class, "x".repeat(2_000)))
          .isInstanceOfAny(ProtocolException.class, DisconnectedException.class);
      assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
    }
  }

  @Test
  void anErrorStatusFailsTheCallWithTheTextOfTheResponse() throws Exception {
    try (Peer peer = Repartee.connect(foreign(503, null, "come back later".getBytes(UTF_8)))) {
      assertThatThrownBy(() -> peer.call("subtract", int.class, 42, 23))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("503")
          .hasMessageContaining("come back later");
    }
  }

  private static final String ANY = """
      {"jsonrpc":"2.0","result":19,"id":%d}\
      """;

  /** The response of a server that closes an idle connection. */
  private static final String FAREWELL =
      ScriptedServer.answer("408 Request Timeout", "", "Connection: close", "Repartee-Unsent: 1");

  @ParameterizedTest
  @ValueSource(strings = {"timeout=0", "max=9, timeout=0", "timeout=\"0\""})
  void aConnectionIsKeptNoLongerThanTheServerSays(String kept) throws Exception {
    try (ScriptedServer other = new ScriptedServer(connection -> {
          for (int i = 0; i < 4; i++) {
            String asked = connection.request();
            int id = asked.charAt(asked.length() - 2) - '0';
            String header = id == 1 ? "X-None: 1" : "Keep-Alive: " + kept;
            connection.send(ScriptedServer.json(ANY.formatted(id), header));
          }
        });
        Peer peer = Repartee.connect(other.uri())) {
      for (int i = 0; i < 4; i++) {
        assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
      }
      assertThat(other.connections).hasValue(3);
    }
  }

  @Test
  void aCallOnAConnectionThatTheServerHasClosedBeforeWasNotSent() throws Exception {
    try (ScriptedServer scripted = new ScriptedServer(connection -> {
          connection.request();
          connection.send(ScriptedServer.json(ANY.formatted(1)));
          connection.request();
          connection.send(FAREWELL);
        });
        Peer peer = Repartee.connect(scripted.uri())) {
      assertThat(peer.call("first", int.class)).isEqualTo(19);
      assertThatThrownBy(() -> peer.call("second", int.class))
          .isInstanceOfSatisfying(
              HttpException.class,
              end -> assertThat(end.unsent()).isEqualTo("the server has not received the request"))
          .hasMessageContaining("408");
    }
  }

  @Test
  void theEndOfAConnectionAfterAnAnswerDoesNotFailTheAnsweredCall() throws Exception {
    try (ScriptedServer scripted = new ScriptedServer(connection -> {
          String asked = connection.request();
          int id = asked.charAt(asked.length() - 2) - '0';
          connection.send(ScriptedServer.json(ANY.formatted(id)) + FAREWELL);
          connection.request();
        });
        Peer peer = Repartee.connect(scripted.uri())) {
      for (int i = 0; i < 3; i++) {
        assertThat(peer.call("next", int.class)).isEqualTo(19);
      }
      assertThat(scripted.connections).hasValue(3);
    }
  }

  @Test
  void aRefusalThatComesBeforeTheBodyIsSentIsReported() throws Exception {
    CountDownLatch left = new CountDownLatch(1);
    try (ScriptedServer other = new ScriptedServer(connection -> {
          connection.head();
          connection.send(ScriptedServer.answer("413 Content Too Large", "too large"));
          left.await(30, TimeUnit.SECONDS);
        });
        Peer peer = Repartee.connect(other.uri())) {
      assertThatThrownBy(() -> peer.call("echo", String.class, "x".repeat(12 << 20)))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("413")
          .hasMessageContaining("too large");
      left.countDown();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://other.example/rpc", "/rpc", "rpc", "?rpc"})
  void aRedirectIsNotFollowedButReported(String location) throws Exception {
    try (ScriptedServer other = new ScriptedServer(connection -> {
          connection.request();
          connection.send(ScriptedServer.answer("308 Gone there", "", "Location: " + location));
        });
        Peer peer = Repartee.connect(other.uri() + "old")) {
      String there = switch (location) {
        case "/rpc", "rpc" -> other.uri() + "rpc";
        case "?rpc" -> other.uri() + "old?rpc";
        default -> location;
      };
      assertThatThrownBy(() -> peer.call("subtract", int.class, 42, 23))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("308, a redirect to " + there + ", which is not followed");
    }
  }

  @Test
  void aRefusalHasItsStatusItsContentTypeAndTheTimeToWait() throws Exception {
    try (ScriptedServer server = new ScriptedServer(connection -> {
          connection.request();
          connection.send(ScriptedServer.answer(
              "429 Too Many Requests",
              "<p>later",
              "Content-Type: text/html; charset=utf-8",
              "Retry-After: 7"));
        });
        Peer peer = Repartee.connect(server.uri())) {
      assertThatExceptionOfType(HttpException.class)
          .isThrownBy(() -> peer.call("subtract", int.class, 42, 23))
          .withMessage(server.uri() + " answered with HTTP status 429, Retry-After: 7;"
              + " text/html: <p>later")
          .satisfies(refused -> {
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.contentType()).isEqualTo("text/html; charset=utf-8");
            assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(7));
          });
    }
  }

  @Test
  void status401SuggestsAHeader() throws Exception {
    try (Peer peer = Repartee.connect(foreign(401, null, "who?".getBytes(UTF_8)))) {
      assertThatThrownBy(() -> peer.call("subtract", int.class, 42, 23))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("HTTP status 401, it may need a header Authorization")
          .hasMessageContaining("who?");
    }
  }

  @Test
  void anEmptyAnswerFailsTheCall() throws Exception {
    try (Peer peer = Repartee.connect(foreign(204, null, new byte[0]))) {
      assertThatThrownBy(() -> peer.call("subtract", int.class, 42, 23))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("204");
    }
  }

  @Test
  void anAnswerMayBeCompressed() throws Exception {
    try (Peer peer = Repartee.connect(foreign(200, "gzip", gzip(ANSWER.getBytes(UTF_8))))) {
      assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
    }
  }

  @Test
  void aCompressedAnswerMayHaveMoreThanOneMember() throws Exception {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    packed.write(gzip(ANSWER.substring(0, 9).getBytes(UTF_8)));
    packed.write(gzip(ANSWER.substring(9).getBytes(UTF_8)));
    try (Peer peer = Repartee.connect(foreign(200, "gzip", packed.toByteArray()))) {
      assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 8, 9, 40})
  void aCompressedAnswerThatIsCutFailsTheCall(int missing) throws Exception {
    byte[] packed = gzip(ANSWER.getBytes(UTF_8));
    byte[] cut = Arrays.copyOf(packed, packed.length - missing);
    try (Peer peer = Repartee.connect(foreign(200, "gzip", cut))) {
      assertThatThrownBy(() -> peer.call("subtract", int.class, 42, 23))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("is not gzip, or not all of it");
    }
  }

  @Test
  void anAnswerInACodingThatWasNotAskedForFailsTheCall() throws Exception {
    try (Peer peer = Repartee.connect(foreign(200, "br", ANSWER.getBytes(UTF_8)))) {
      assertThatThrownBy(() -> peer.call("subtract", int.class, 42, 23))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("a content coding that was not asked for: br");
    }
  }

  @Test
  void anAnswerThatUnpacksPastTheLimitFailsTheCall() throws Exception {
    String uri = foreign(200, "gzip", gzip(new byte[4 << 20]));
    Options options =
        Options.builder().limits(limits -> limits.frameBytes(1 << 20)).build();
    try (Peer peer = Repartee.connect(uri, options)) {
      assertThatThrownBy(() -> peer.call("subtract", int.class, 42, 23))
          .isInstanceOfAny(ProtocolException.class, DisconnectedException.class);
    }
  }

  @Test
  void aCallThatWasGivenUpIsCancelledAtTheServer() throws Exception {
    try (Peer peer = Repartee.connect(serve(Limits.DEFAULT))) {
      CallFuture<Void> call = peer.callAsync("linger", Void.class);
      assertThat(methods.waiting.await(60, TimeUnit.SECONDS)).isTrue();
      call.cancel(true);
      assertThat(methods.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aHandlerCannotCallBack() throws Exception {
    try (Peer peer = Repartee.connect(serve(Limits.DEFAULT))) {
      assertThatThrownBy(() -> peer.call("ask", String.class, "name"))
          .isInstanceOf(RpcException.class);
    }
  }

  @Test
  void anEndpointThatIsNotThereIsFoundOutAtOnce() throws Exception {
    String uri = serve(Limits.DEFAULT);
    Objects.requireNonNull(server).close();
    assertThatThrownBy(() -> Repartee.connect(uri))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("cannot connect to " + uri + ": Connection refused")
        .hasMessageEndingWith("is something listening there?");
  }

  @Test
  void closingSendsQueuedNotifications() throws Exception {
    methods.released.countDown(); // closing waits for the response to the notification
    try (Peer peer = Repartee.connect(serve(Limits.DEFAULT))) {
      peer.notify("await");
    }
    assertThat(methods.waiting.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aClosedClientIsNotKeptInMemoryUntilItsCloseTimeout() throws Exception {
    serve(Limits.DEFAULT);
    WeakReference<Peer> client = closedClient();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (client.get() != null && System.nanoTime() < end) { // its event loop may be late
      System.gc();
    }
    assertThat(client.get()).isNull();
  }

  private WeakReference<Peer> closedClient() throws Exception {
    Options options = Options.builder()
        .limits(limits -> limits.closeTimeout(Duration.ofDays(1)))
        .build();
    Peer client = Repartee.connect(Objects.requireNonNull(server).endpoint(), options);
    assertThat(client.call("sum", Integer.class, 1, 2)).isEqualTo(3);
    client.close();
    return new WeakReference<>(client);
  }
}

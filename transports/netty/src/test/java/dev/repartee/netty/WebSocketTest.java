package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebSocketTest {
  private static final String CALL = """
      {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}""";
  private static final String ANSWER = """
      {"jsonrpc":"2.0","result":19,"id":1}""";

  private final Methods methods = new Methods();
  private @Nullable Server server;

  private Server serve(String options, Limits limits) throws Exception {
    server = Repartee.listen(
        "http://127.0.0.1:0/" + options,
        methods.service(),
        Options.builder().limits(limits).build());
    return server;
  }

  private Server serve() throws Exception {
    return serve("", Limits.DEFAULT);
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
  }

  private static String uri(Server at) {
    return at.endpoint().bare().toString().replace("http:", "ws:");
  }

  /** The WebSocket client of the JDK. */
  private static final class Foreign implements WebSocket.Listener {
    final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final StringBuilder text = new StringBuilder();
    final WebSocket socket;

    Foreign(String uri) {
      socket = HttpClient.newHttpClient()
          .newWebSocketBuilder()
          .buildAsync(URI.create(uri), this)
          .join();
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        heard.add(text.toString());
        text.setLength(0);
      }
      from.request(1);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
      text.append(UTF_8.decode(data));
      if (last) {
        heard.add("<binary> " + text);
        text.setLength(0);
      }
      from.request(1);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onPong(WebSocket from, ByteBuffer data) {
      heard.add("<pong> " + data.remaining());
      from.request(1);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int status, String reason) {
      heard.add("<close> " + status);
      return null;
    }

    String next() throws InterruptedException {
      String next = heard.poll(60, TimeUnit.SECONDS);
      assertThat(next).as("a message").isNotNull();
      return next;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "Connection: Upgrade\r\n"})
  void aHandshakeWithoutARequiredHeaderIsRefused(String missing) throws Exception {
    try (RawConnection raw = new RawConnection(serve())) {
      raw.send(RawConnection.handshake().replace(missing, ""));
      assertThat(raw.answer()).startsWith("HTTP/1.1 400 ").contains("A WebSocket opens with");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Sec-WebSocket-Version: 8\r\n",
        "Sec-WebSocket-Key1: 1 2\r\nSec-WebSocket-Key2: 1 2\r\n"
      })
  void noVersionOfWebSocketIsSpokenButThatOfTheStandard(String version) throws Exception {
    try (RawConnection raw = new RawConnection(serve())) {
      raw.send(RawConnection.handshake().replace("Sec-WebSocket-Version: 13\r\n", version));
      assertThat(raw.answer())
          .startsWith("HTTP/1.1 426 ")
          .containsIgnoringCase("sec-websocket-version: 13\r\n");
    }
  }

  @Test
  void aByteOrderMarkBeforeAMessageIsSkipped() throws Exception {
    Foreign client = new Foreign(uri(serve()));
    client.socket.sendText("\ufeff" + CALL, true).join();
    assertThat(client.next()).isEqualTo(ANSWER);
  }

  @Test
  void nullParamsAreToleratedWhereTheUriSaysSo() throws Exception {
    Foreign client = new Foreign(uri(serve("#lenient=null-params", Limits.DEFAULT)));
    String call = """
        {"method":"rpc.ping","params":null,"id":0,"jsonrpc":"2.0"}""";
    client.socket.sendText(call, true).join();
    assertThat(client.next()).isEqualTo("""
        {"jsonrpc":"2.0","result":"pong","id":0}""");
  }

  @Test
  void aForeignClientCallsPingsAndCloses() throws Exception {
    Foreign client = new Foreign(uri(serve()));
    client.socket.sendText(CALL.substring(0, 20), false).join();
    client.socket.sendPing(ByteBuffer.wrap(new byte[3])).join();
    client.socket.sendText(CALL.substring(20), true).join();
    assertThat(List.of(client.next(), client.next())).containsExactly("<pong> 3", ANSWER);
    client.socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
    assertThat(client.next()).isEqualTo("<close> 1000");
  }

  /** 1001: an endpoint is going away, such as a server that is going down (RFC 6455 section 7.4.1). */
  @Test
  void aServerThatClosesAnnouncesThatItGoesAway() throws Exception {
    Server closing = serve();
    Foreign client = new Foreign(uri(closing));
    client.socket.sendText(CALL, true).join();
    assertThat(client.next()).isEqualTo(ANSWER);
    closing.close();
    assertThat(client.next()).isEqualTo("<close> 1001");
  }

  @Test
  void requestsBeforeTheCloseAreStillAnswered() throws Exception {
    Foreign client = new Foreign(uri(serve()));
    client.socket.sendText("""
        {"jsonrpc":"2.0","method":"await","id":0}""", true).join();
    assertThat(methods.waiting.await(60, TimeUnit.SECONDS)).isTrue();
    client.socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
    methods.released.countDown();
    assertThat(client.next()).endsWith("\"result\":\"released\",\"id\":0}");
    assertThat(client.next()).isEqualTo("<close> 1000");
  }

  /** web3.py sends binary messages only. */
  @Test
  void aBinaryMessageIsAnsweredByABinaryOne() throws Exception {
    Foreign client = new Foreign(uri(serve()));
    client.socket.sendBinary(bytes(CALL.substring(0, 20)), false).join();
    client.socket.sendPing(ByteBuffer.allocate(3)).join();
    client.socket.sendBinary(bytes(CALL.substring(20)), true).join();
    assertThat(List.of(client.next(), client.next()))
        .containsExactly("<pong> 3", "<binary> " + ANSWER);
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }

  @Test
  void messagesLeaveAsTheKindThatThePeerSentLast() throws Exception {
    String ask = CALL.replace("subtract", "ask").replace("42,23", "\"name\"");
    String asked = """
        {"jsonrpc":"2.0","method":"name","params":[],"id":1}""";
    try (RawConnection raw = new RawConnection(serve()).upgrade()) {
      assertThat(raw.send(RawConnection.frame(0x81, CALL.getBytes(UTF_8))).message())
          .isEqualTo(ANSWER);
      assertThat(raw.send(RawConnection.frame(0x82, ask.getBytes(UTF_8))).message())
          .isEqualTo("<binary> " + asked);
      String answer = """
          {"jsonrpc":"2.0","result":"raw","id":1}""";
      assertThat(raw.send(RawConnection.frame(0x81, answer.getBytes(UTF_8))).message())
          .isEqualTo(answer);
    }
  }

  @Test
  void aBinaryMessageThatIsNotUtf8IsRefused() throws Exception {
    try (RawConnection raw = new RawConnection(serve()).upgrade()) {
      raw.send(RawConnection.frame(0x82, new byte[] {(byte) 0xC3, '('}));
      assertThat(raw.message()).isEqualTo("<close> 1007");
    }
  }

  @Test
  void aServerMaySendBinaryMessagesToItsClient() throws Exception {
    String answer = """
        {"jsonrpc":"2.0","result":%d,"id":%d}""";
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    try (ScriptedServer script = new ScriptedServer(connection -> {
          connection.accept();
          heard.add(connection.frame());
          connection.frame(0x02, answer.formatted(19, 1).substring(0, 9));
          connection.frame(0x80, answer.formatted(19, 1).substring(9));
          heard.add(connection.frame());
          connection.frame(0x81, answer.formatted(20, 2));
          connection.awaitEnd();
        });
        Peer peer = Repartee.connect(script.uri().replace("http:", "ws:"))) {
      assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
      assertThat(heard.poll(60, TimeUnit.SECONDS)).startsWith("81 {");
      assertThat(peer.call("subtract", int.class, 42, 22)).isEqualTo(20);
      assertThat(heard.poll(60, TimeUnit.SECONDS)).startsWith("82 {");
    }
  }

  @Test
  void aMessageTooLargeIsRefusedWhereverItsFragmentsEnd() throws Exception {
    Server at = serve("", Limits.builder().frameBytes(1_000).build());
    Foreign whole = new Foreign(uri(at));
    whole.socket.sendText("x".repeat(1_000), true).join();
    assertThat(whole.next()).isEqualTo("<close> 1009");
    Foreign parts = new Foreign(uri(at));
    parts.socket.sendText("x".repeat(600), false).join();
    parts.socket.sendText("x".repeat(600), true).join();
    assertThat(parts.next()).isEqualTo("<close> 1009");
  }

  @Test
  void aClientReportsWhyTheServerClosed() throws Exception {
    Server at = serve("", Limits.builder().frameBytes(1_000).build());
    try (Peer peer = Repartee.connect(uri(at))) {
      assertThatThrownBy(() -> peer.call("echo", String.class, "x".repeat(1_000)))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageContaining("with status 1009: the other side closed it, saying: ");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1011, 3000, 4000, 4999})
  void aStatusOtherThanThatOfAnOrderlyCloseIsReported(int status) throws Exception {
    CompletableFuture<String> told = new CompletableFuture<>();
    Options options = Options.builder()
        .listener(new Listener() {
          @Override
          public void disconnected(Peer peer, @Nullable Throwable cause) {
            told.complete(String.valueOf(cause));
          }
        })
        .build();
    String expected = " was closed with status " + status
        + ": the other side closed it, saying: token" + " expired ?[31m?]0;x??2J?";
    try (ScriptedServer script = new ScriptedServer(connection -> {
          connection.accept();
          connection.frame();
          connection.close(status, "token expired \033[31m\033]0;x\007\u009b2J\u202e");
          connection.awaitEnd();
        });
        Peer peer = Repartee.connect(script.uri().replace("http:", "ws:"), options)) {
      assertThatThrownBy(() -> peer.call("subtract", int.class, 42, 23))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageContaining(expected);
      assertThat(told.get(60, TimeUnit.SECONDS)).endsWith(expected);
      assertThatThrownBy(() -> peer.call("subtract", int.class, 42, 23))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageContaining(expected);
    }
  }

  @Test
  void requestsBeforeACloseWithAnApplicationStatusAreStillAnswered() throws Exception {
    Foreign client = new Foreign(uri(serve()));
    client.socket.sendText("""
        {"jsonrpc":"2.0","method":"await","id":0}""", true).join();
    assertThat(methods.waiting.await(60, TimeUnit.SECONDS)).isTrue();
    client.socket.sendClose(4000, "done").join();
    methods.released.countDown();
    assertThat(client.next()).endsWith("\"result\":\"released\",\"id\":0}");
    assertThat(client.next()).isEqualTo("<close> 1000");
  }

  @Test
  void textThatIsNotUtf8IsRefused() throws Exception {
    try (RawConnection raw = new RawConnection(serve())) {
      raw.upgrade().send(RawConnection.frame(0x81, new byte[] {(byte) 0xC3, '('}));
      assertThat(raw.message()).isEqualTo("<close> 1007");
    }
  }

  @Test
  void framesOfAClientThatAreNotMaskedAreRefused() throws Exception {
    try (RawConnection raw = new RawConnection(serve())) {
      raw.upgrade().send("\u0081\u0002{}");
      assertThat(raw.message()).isEqualTo("<close> 1002");
    }
  }

  @Test
  void anAnswerLeavesBeforeTheCloseFrameOfARefusal() throws Exception {
    String call = new String(RawConnection.frame(0x81, CALL.getBytes(UTF_8)), ISO_8859_1);
    try (RawConnection raw = new RawConnection(serve())) {
      raw.upgrade().send(call + "\u0081\u0002{}"); // the second frame is not masked
      assertThat(List.of(raw.message(), raw.message())).containsExactly(ANSWER, "<close> 1002");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "#deflate=true"})
  void framesRightBehindTheHandshakeAreServed(String options) throws Exception {
    String call = new String(RawConnection.frame(0x81, CALL.getBytes(UTF_8)), ISO_8859_1);
    String ping = new String(RawConnection.frame(0x89, new byte[1]), ISO_8859_1);
    Server at = serve(options, Limits.DEFAULT);
    try (RawConnection raw = new RawConnection(at)) {
      raw.send(RawConnection.handshake() + call + ping + call + call.substring(0, 20));
      assertThat(raw.answer()).startsWith("HTTP/1.1 101 ");
      List<String> messages = List.of(raw.message(), raw.message(), raw.message());
      assertThat(messages).containsExactlyInAnyOrder(ANSWER, ANSWER, "<10>");
      assertThat(raw.send(call.substring(20)).message()).isEqualTo(ANSWER);
    }
    try (RawConnection raw = new RawConnection(at)) {
      raw.send(RawConnection.handshake() + "\u0081\u0002{}"); // not masked
      assertThat(raw.answer()).startsWith("HTTP/1.1 101 ");
      assertThat(raw.message()).isEqualTo("<close> 1002");
    }
  }

  @Test
  void aPageOfAnotherOriginOpensNoSocket() throws Exception {
    try (RawConnection raw = new RawConnection(serve())) {
      raw.send(RawConnection.handshake("Origin: https://evil.example"));
      assertThat(raw.answer()).startsWith("HTTP/1.1 403 ");
    }
  }

  @Test
  void theSubprotocolIsAgreedOrTheHandshakeRefused() throws Exception {
    Server at = serve("#subprotocol=jsonrpc", Limits.DEFAULT);
    try (Peer peer = Repartee.connect(uri(at) + "#subprotocol=jsonrpc")) {
      assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
    }
    assertThatThrownBy(() -> Repartee.connect(uri(at) + "#subprotocol=other"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(
            "The subprotocol spoken here is jsonrpc; ask for it (#subprotocol=jsonrpc");
  }

  @Test
  void bothSidesCallAndHandlersCallBack() throws Exception {
    try (Peer peer = Repartee.connect(uri(serve()), Service.of(new Client()), Options.DEFAULT)) {
      assertThat(peer.call("ask", String.class, "name")).isEqualTo("client");
    }
  }

  /** The methods that a client offers. */
  public static final class Client {
    public String name() {
      return "client";
    }
  }

  @Test
  void aHandlerSeesTheHeadersOfTheHandshake() throws Exception {
    try (Peer peer = Repartee.connect(uri(serve()))) {
      assertThat(peer.call("header", String.class, "upgrade")).isEqualToIgnoringCase("websocket");
    }
  }

  @Test
  void theHeadersOfTheCallerArriveWithTheHandshake() throws Exception {
    Options options = Options.builder().header("Authorization", "Bearer abc").build();
    String uri = uri(serve());
    try (Peer peer = Repartee.connect(uri, options)) {
      assertThat(peer.call("header", String.class, "authorization")).isEqualTo("Bearer abc");
    }
    Options subprotocol =
        Options.builder().header("Sec-WebSocket-Protocol", "abc").build();
    assertThatThrownBy(() -> Repartee.connect(uri, subprotocol))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("#subprotocol=NAME");
  }

  @Test
  void aServerThatIsNotAWebSocketIsReported() throws Exception {
    String elsewhere = uri(serve()) + "other";
    assertThatThrownBy(() -> Repartee.connect(elsewhere))
        .isInstanceOf(IOException.class)
        .hasMessageEndingWith(
            "it answered with HTTP status 404; text/plain: Nothing is served at this path.");
    assertThatThrownBy(() -> new Foreign(elsewhere)).isInstanceOf(CompletionException.class);
  }
}

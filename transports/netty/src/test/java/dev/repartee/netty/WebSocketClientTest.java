package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a WebSocket client against scripted servers. */
class WebSocketClientTest {
  private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();

  /**
   * Returns a server that sends this response. KEY in it is replaced by the answer to the client's
   * key.
   */
  private ScriptedServer answering(String answer) throws IOException {
    return new ScriptedServer(connection -> {
      String head = connection.head();
      asked.add(head);
      connection.send(answer.replace("KEY", accepted(head)));
      connection.awaitEnd();
    });
  }

  private static String accepted(String head) throws Exception {
    String key = head.replaceAll("(?si).*sec-websocket-key: ([^\r]+)\r.*", "$1");
    byte[] hash = MessageDigest.getInstance("SHA-1")
        .digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(US_ASCII));
    return Base64.getEncoder().encodeToString(hash);
  }

  private static final String OPEN =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Accept: KEY\r\n";

  private static Peer connect(ScriptedServer server, String path) throws IOException {
    return Repartee.connect(server.uri().replace("http:", "ws:") + path);
  }

  @Test
  void aRefusalWithALargePageIsReportedWithItsStatusAndWithoutCookies() throws Exception {
    String page = "<p>not here " + "x".repeat(20_000);
    try (ScriptedServer server =
        answering(ScriptedServer.answer("404 Not Found", page, "Set-Cookie: session=s3cret"))) {
      assertThatThrownBy(() -> connect(server, ""))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("it answered with HTTP status 404: <p>not here xxx")
          .message()
          .doesNotContain("s3cret");
    }
  }

  @Test
  void aTruncatedRefusalIsReportedToo() throws Exception {
    try (ScriptedServer server = new ScriptedServer(connection -> {
      connection.head();
      connection.send("HTTP/1.1 503 Busy\r\nContent-Length: 100\r\n\r\nbusy");
    })) {
      assertThatThrownBy(() -> connect(server, ""))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("it answered with HTTP status 503: busy");
    }
  }

  @Test
  void interimAnswersBeforeTheHandshakeArePassedOver() throws Exception {
    String interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n";
    try (ScriptedServer server = answering(interim + OPEN + "\r\n");
        Peer peer = connect(server, "")) {
      assertThat(peer.isOpen()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "#deflate=true"})
  void anExtensionThatWasNotOfferedFailsTheHandshake(String options) throws Exception {
    try (ScriptedServer server = answering(OPEN + "Sec-WebSocket-Extensions: x-custom\r\n\r\n")) {
      assertThatThrownBy(() -> connect(server, options))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("xtension");
    }
  }

  @Test
  void thePathIsSentAsItStandsInTheUri() throws Exception {
    try (ScriptedServer server = answering(OPEN + "\r\n");
        Peer peer = connect(server, "a?b={c}|d")) {
      assertThat(peer.isOpen()).isTrue();
      String authority = server.uri().replaceAll("http://|/$", "");
      assertThat(asked.poll(30, TimeUnit.SECONDS))
          .startsWith("GET /a?b={c}|d HTTP/1.1\r\n")
          .containsIgnoringCase("\r\nhost: " + authority + "\r\n")
          .containsIgnoringCase("\r\norigin: http://" + authority + "\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http:", "ws:"})
  void whatAServerSaysIsToldWithoutControlCharacters(String scheme) throws Exception {
    String page = "oops \u001b[31mRED\u001b]0;x\u0007 \u009b31m\u202e\u2028\u007f\r\nend";
    int length = page.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
    try (ScriptedServer server =
        answering("HTTP/1.1 500 X\r\nContent-Type: text/plain\r\nContent-Length: " + length
            + "\r\n\r\n" + page)) {
      assertThatThrownBy(() -> {
            try (Peer peer = Repartee.connect(server.uri().replace("http:", scheme))) {
              peer.call("m", int.class);
            }
          })
          .hasMessageContaining("HTTP status 500; text/plain: oops ?[31mRED?]0;x? ?31m???");
    }
  }
}

package dev.repartee.netty;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.HttpException;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client whose URI leads to a server of another protocol: the message names what was found. */
@Timeout(60)
class WrongServerTest {
  private static final Service SHOP =
      Service.builder().method("price", call -> 5).build();
  private static final String USE_TCP =
      "; is it an HTTP server? tcp: connects to a JSON-RPC server without HTTP";

  private static int price(String uri) throws IOException {
    try (Peer peer = Repartee.connect(uri)) {
      return peer.call("price", int.class);
    }
  }

  /** Returns a server that sends this text after a request, and ends the connection. */
  private static ScriptedServer answering(String text) throws IOException {
    return new ScriptedServer(connection -> {
      connection.request();
      connection.send(text);
    });
  }

  private static String authority(ScriptedServer server) {
    return URI.create(server.uri()).getAuthority();
  }

  @Test
  void aServerWithoutHttpClosesTheConnection() throws Exception {
    try (Server plain = Repartee.listen("tcp://127.0.0.1:0", SHOP)) {
      String there = "127.0.0.1:" + plain.port();
      assertThatThrownBy(() -> price("http://" + there + "/"))
          .isInstanceOf(DisconnectedException.class)
          .hasMessage("the connection to " + there + " ended before the answer came" + USE_TCP);
      assertThatThrownBy(() -> price("ws://" + there + "/"))
          .isInstanceOf(IOException.class)
          .hasMessage("cannot connect to ws://" + there
              + "/: the connection was closed without an answer" + USE_TCP);
    }
  }

  @Test
  void aPlainClientOfAnHttpServerReadsThatItSpeaksHttp() throws Exception {
    try (Server web = Repartee.listen("http://127.0.0.1:0/", SHOP)) {
      assertThatThrownBy(() -> price("tcp://127.0.0.1:" + web.port()))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageContaining("an HTTP response, near 'HTTP/1.1 400 Bad Request': the other side"
              + " speaks HTTP; connect with http: or ws:");
    }
  }

  @Test
  void otherBytesAreShown() throws Exception {
    try (ScriptedServer ssh = answering("SSH-2.0-OpenSSH_9\r\n")) {
      assertThatThrownBy(() -> price(ssh.uri()))
          .isInstanceOf(ProtocolException.class)
          .hasMessage(authority(ssh)
              + " sent bytes that are not an HTTP response, but 'SSH-2.0-OpenSSH_9'");
    }
    try (ScriptedServer lines = answering("{\"jsonrpc\":\"2.0\",\"method\":\"hello\"}\n")) {
      assertThatThrownBy(() -> price(lines.uri()))
          .isInstanceOf(ProtocolException.class)
          .hasMessageEndingWith("; tcp: connects to a JSON-RPC server without HTTP");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"<h1>Log \u001b[1min</h1>", "{\"status\":\"up\"}"})
  void aPageWithStatus200IsShownWithItsType(String page) throws Exception {
    try (ScriptedServer web = answering(
        ScriptedServer.answer("200 OK", page, "Content-Type: text/html; charset=utf-8"))) {
      assertThatThrownBy(() -> price(web.uri() + "rpc"))
          .isInstanceOf(HttpException.class)
          .hasMessage(web.uri() + "rpc answered with HTTP status 200, without a JSON-RPC response;"
              + " text/html: " + page.replace('\u001b', '?'));
    }
  }

  /** Services for Ethereum expect their keys in the path. */
  @Test
  void longSegmentsOfThePathAreCutSinceTheyMayBeKeys() throws Exception {
    String key = "0123456789abcdef01234567";
    try (ScriptedServer web = answering(ScriptedServer.answer("500 No", "", "X: y"))) {
      assertThatThrownBy(() -> price(web.uri() + "v3/" + key + "/rpc"))
          .isInstanceOf(HttpException.class)
          .hasMessage(web.uri() + "v3/0123.../rpc answered with HTTP status 500");
    }
  }

  @Test
  void anUnknownHostIsNotSaidToBeDown() {
    assertThatThrownBy(() -> price("http://no-such-host.invalid/"))
        .isInstanceOf(IOException.class)
        .hasMessageEndingWith("; check its spelling");
  }
}

package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A web server without JSON-RPC: every command reports its reply instead of waiting. */
class HttpRefusalTest {
  private static final String CALL = """
      {"jsonrpc":"2.0","method":"m","id":1}
      """;

  private HttpServer server;
  private String uri;

  @BeforeEach
  void serve() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    answer("/missing", 404, "<html>Not Found</html>");
    answer("/closed", 401, "");
    answer("/forbidden", 403, "no");
    answer("/later", 429, "wait");
    answer("/nothing", 204, "");
    server.start();
    uri = "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void answer(String path, int status, String body) {
    byte[] bytes = body.getBytes(UTF_8);
    server.createContext(path, exchange -> {
      exchange.getRequestBody().readAllBytes();
      exchange.getResponseHeaders().set("Content-Type", "text/html");
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      if (bytes.length > 0) {
        exchange.getResponseBody().write(bytes);
      }
      exchange.close();
    });
  }

  @AfterEach
  void end() {
    server.stop(0);
  }

  private static Captured run(int exit, String... words) {
    Captured captured = new Captured(CALL);
    assertThat(Main.run(captured.stdio(), words)).as(captured::err).isEqualTo(exit);
    return captured;
  }

  private String[] command(String name, String path) {
    return switch (name) {
      case "call", "notify" -> new String[] {name, uri + path, "m"};
      default -> new String[] {name, uri + path};
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"call", "notify", "batch", "send"})
  void aMissingPageExitsWithFiveAndItsTextIsShown(String name) {
    assertThat(run(5, command(name, "/missing")).err())
        .startsWith("repartee: " + uri
            + "/missing answered with HTTP status 404; text/html: <html>Not Found</html>")
        .doesNotContain("#framing")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"call", "notify", "batch", "send"})
  void aServerThatRequiresAuthorizationExitsWithThreeAndTheHeaderIsNamed(String name) {
    assertThat(run(3, command(name, "/closed")).err())
        .contains("HTTP status 401", "Authorization")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"call", "notify", "batch", "send"})
  void aServerThatRefusesTheCallerExitsWithThree(String name) {
    assertThat(run(3, command(name, "/forbidden")).err()).contains("HTTP status 403");
    assertThat(run(3, command(name, "/later")).err()).contains("HTTP status 429");
  }

  @Test
  void anEmptyReplyToANotificationIsAccepted() {
    assertThat(run(0, command("notify", "/nothing")).err()).isEmpty();
    Captured captured = new Captured("""
        {"jsonrpc":"2.0","method":"m"}""");
    assertThat(Main.run(captured.stdio(), command("send", "/nothing"))).isZero();
    assertThat(captured.err()).isEmpty();
  }

  @Test
  void aWebSocketIsNotOpenedAtAMissingPage() {
    assertThat(run(3, "call", uri.replace("http", "ws") + "/missing", "m").err())
        .contains("HTTP status 404")
        .hasLineCount(1);
  }
}

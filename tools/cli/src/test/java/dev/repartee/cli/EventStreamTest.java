package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.repartee.json.Json;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A response over HTTP in an event stream, after progress notifications. */
class EventStreamTest {
  private HttpServer server;
  private String uri;

  @BeforeEach
  void serve() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", exchange -> {
      Json request = Json.parse(exchange.getRequestBody().readAllBytes());
      Json one = request.kind() == Json.Kind.ARRAY ? request.elements().get(0) : request;
      exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().write(events("" + one.get("id")).getBytes(UTF_8));
      exchange.close();
    });
    server.start();
    uri = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
  }

  private static String events(String id) {
    return """
        data: {"jsonrpc":"2.0","method":"rpc.progress","params":{"id":%1$s,"value":2}}

        data: {"jsonrpc":"2.0","method":"rpc.progress","params":{"id":%1$s,"value":{"left":1}}}

        data: {"jsonrpc":"2.0","result":"liftoff","id":%1$s}

        """.formatted(id);
  }

  @AfterEach
  void end() {
    server.stop(0);
  }

  @Test
  void progressIsALineEachAndTheAnswerIsTheResult() {
    Captured captured = new Captured("");
    assertThat(Main.run(captured.stdio(), "call", uri, "countdown", "2")).isZero();
    assertThat(captured.out()).isEqualTo("\"liftoff\"\n");
    assertThat(captured.err()).isEqualTo("progress: 2\nprogress: {\"left\":1}\n");
  }

  @Test
  void aBatchShowsItToo() {
    String request = """
        {"jsonrpc":"2.0","method":"countdown","params":[2],"id":"x"}""";
    Captured captured = new Captured(request);
    assertThat(Main.run(captured.stdio(), "batch", uri)).isZero();
    assertThat(captured.out()).isEqualTo("""
        {"jsonrpc":"2.0","result":"liftoff","id":"x"}
        """);
    assertThat(captured.err()).isEqualTo("progress: 2\nprogress: {\"left\":1}\n");
  }
}

package dev.repartee.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Revision;
import dev.repartee.transport.Attribute;
import java.net.http.HttpResponse;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests {@link McpCall#inSession}. */
@Timeout(60)
class ObjectsInSessionTest {
  private static final Attribute<Counter> KEY = Attribute.named("counter");

  private static final String CALL = "\"method\":\"tools/call\",\"params\":{\"name\":\"count\"}";

  private static final String META =
      "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
          + "\"io.modelcontextprotocol/clientCapabilities\":{}}";

  private final BlockingQueue<String> closed = new LinkedBlockingQueue<>();

  private final McpServer server = server(Tool.named("count"));

  private McpServer server(Tool.Builder tool) {
    return McpServer.builder("test", "1")
        .tool(tool.handle((call, arguments) -> {
          Counter counter = call.inSession(KEY, Counter::new);
          return counter + ":" + ++counter.calls;
        }))
        .build();
  }

  private int made;

  /** Counts the calls of a session. */
  private final class Counter implements AutoCloseable {
    final String name = "counter " + ++made;
    int calls;

    @Override
    public String toString() {
      return name;
    }

    @Override
    public void close() {
      closed.add(name);
    }
  }

  private static String count(Peer client, String meta) {
    return client
        .request("tools/call")
        .params(Json.parse("{\"name\":\"count\"" + meta + "}"))
        .call(Json.class)
        .get("content")
        .at(0)
        .get("text")
        .as(String.class);
  }

  private static Peer connect(Server listening) throws Exception {
    Peer client = Repartee.connect(listening.endpoint());
    client.request("initialize").params(Json.parse("""
        {"protocolVersion":"2025-11-25","capabilities":{},\
        "clientInfo":{"name":"test","version":"1"}}""")).call(Json.class);
    return client;
  }

  @Test
  void eachConnectionHasAnObjectThatIsClosedWithIt() throws Exception {
    try (Server listening = server.listen("tcp://127.0.0.1:0");
        Peer two = connect(listening)) {
      Peer one = connect(listening);
      assertThat(count(one, "")).isEqualTo("counter 1:1"); // the first call creates the counter
      assertThat(count(two, "")).isEqualTo("counter 2:1");
      assertThat(count(one, "")).isEqualTo("counter 1:2");
      one.close();
      assertThat(closed.poll(30, TimeUnit.SECONDS)).isEqualTo("counter 1");
      assertThat(count(two, "")).isEqualTo("counter 2:2");
    }
    assertThat(closed.poll(30, TimeUnit.SECONDS)).isEqualTo("counter 2");
  }

  @Test
  void statelessRequestsOverOneConnectionShareAnObject() throws Exception {
    String meta = "," + META;
    try (Server listening = server.listen("tcp://127.0.0.1:0");
        Peer client = Repartee.connect(listening.endpoint())) {
      assertThat(count(client, meta)).isEqualTo("counter 1:1");
      assertThat(count(client, meta)).isEqualTo("counter 1:2");
    }
    assertThat(closed.poll(30, TimeUnit.SECONDS)).isEqualTo("counter 1");
  }

  @Test
  void anHttpSessionHasAnObjectAndAStatelessRequestHasNone() throws Exception {
    try (Server listening = server.listen("http://127.0.0.1:0/mcp")) {
      Http http = new Http(listening);
      Http session = session(http, "2025-11-25");
      assertThat(session.post("""
          {"jsonrpc":"2.0","id":2,%s}""".formatted(CALL)).body()).contains("counter 1:1");
      assertThat(session.post("""
          {"jsonrpc":"2.0","id":3,%s}""".formatted(CALL)).body()).contains("counter 1:2");
      session.send("DELETE");
      assertThat(closed.poll(30, TimeUnit.SECONDS)).isEqualTo("counter 1");

      assertThat(http.stateless("tools/call")
              .with("Mcp-Name", "count")
              .post("""
                  {"jsonrpc":"2.0","id":4,%s,\
                  "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",\
                  "io.modelcontextprotocol/clientCapabilities":{}}}}\
                  """.formatted(CALL.substring(0, CALL.length() - 1)))
              .body())
          .contains("belongs to no session", "\"isError\":true");
      assertThat(closed).isEmpty();
    }
  }

  @Test
  void aToolThatNeedsASessionLeavesTheStatelessRevisionOutOverHttp() throws Exception {
    McpServer bound = server(Tool.named("count").needsSession());
    try (Server listening = bound.listen("http://127.0.0.1:0/mcp");
        McpClient client = McpClient.connect(listening.endpoint().toString())) {
      HttpResponse<String> refused =
          new Http(listening).stateless("server/discover").post("""
              {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{%s}}""".formatted(META));
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(refused.body()).contains("-32600", "begin a session with initialize");

      assertThat(client.revision()).isEqualTo(Revision.V2025_11_25);
      assertThat(client.call("count", null).content()).containsExactly(Content.text("counter 1:1"));
      assertThat(client.call("count", null).content()).containsExactly(Content.text("counter 1:2"));
    }
    assertThat(closed.poll(30, TimeUnit.SECONDS)).isEqualTo("counter 1");
  }

  @ParameterizedTest
  @CsvSource({"2025-11-25, %s", "2025-03-26, [%s]"})
  void aMessageInASessionThatNamesAStatelessRevisionIsRefused(String revision, String form)
      throws Exception {
    McpServer bound = server(Tool.named("count").needsSession());
    try (Server listening = bound.listen("http://127.0.0.1:0/mcp")) {
      Http session = session(new Http(listening), revision);
      String call = """
          {"jsonrpc":"2.0","id":2,%s,%s}}""".formatted(CALL.substring(0, CALL.length() - 1), META);

      HttpResponse<String> refused = session.post(form.formatted(call));

      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(refused.body()).contains("-32020", "a revision without sessions");
    }
  }

  private static Http session(Http http, String revision) throws Exception {
    String id = http.post("""
        {"jsonrpc":"2.0","id":1,"method":"initialize","params":{\
        "protocolVersion":"%s","capabilities":{},\
        "clientInfo":{"name":"test","version":"1"}}}""".formatted(revision))
        .headers()
        .firstValue("Mcp-Session-Id")
        .orElseThrow();
    return http.with("Mcp-Session-Id", id).with("MCP-Protocol-Version", revision);
  }

  @Test
  void aToolThatNeedsASessionServesAllRevisionsOverOtherTransports() throws Exception {
    McpServer bound = server(Tool.named("count").needsSession());
    try (Server listening = bound.listen("tcp://127.0.0.1:0");
        McpClient client = McpClient.connect(listening.endpoint().toString())) {
      assertThat(client.revision()).isEqualTo(Revision.V2026_07_28);
      assertThat(client.call("count", null).content()).containsExactly(Content.text("counter 1:1"));
    }
  }
}

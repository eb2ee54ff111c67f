package dev.repartee.mcp.dap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.CallFuture;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A debug adapter of the test, its tools on an MCP server, and a client of that server. */
abstract class DebugSession {
  @TempDir
  Path folder;

  final FakeAdapter.Script script = new FakeAdapter.Script();
  final McpServer mcp = McpServer.builder("test", "1").build();
  Server adapters;
  Server served;
  Peer client;
  DebugTools tools;

  @BeforeEach
  void listen() throws IOException {
    folder = folder.toRealPath();
    Files.writeString(
        folder.resolve("a.txt"),
        IntStream.rangeClosed(1, 10).mapToObj(i -> "code " + i).collect(Collectors.joining("\n")));
    adapters = script.listen();
    served = mcp.listen("mem:mcp-dap-" + System.identityHashCode(this));
    start(builder -> builder);
    client = connect();
  }

  @AfterEach
  void close() {
    client.close();
    served.close();
    tools.close();
    adapters.close();
  }

  void start(UnaryOperator<DebugTools.Builder> more) throws IOException {
    start(adapters.endpoint().bare().toString(), more);
  }

  void start(String uri, UnaryOperator<DebugTools.Builder> more) throws IOException {
    if (tools != null) {
      tools.close();
    }
    tools = more.apply(DebugTools.builder(uri, folder)).addTo(mcp);
  }

  Peer connect() throws IOException {
    Peer connected = Repartee.connect(served.endpoint());
    connected.request("initialize").params(Json.parse("""
        {"protocolVersion":"2025-11-25","capabilities":{},\
        "clientInfo":{"name":"test","version":"1"}}""")).call(Json.class);
    return connected;
  }

  static CallFuture<Json> send(Peer client, String tool, String arguments) {
    return client
        .request("tools/call")
        .params(Json.parse(
            "{\"name\":\"" + tool + "\",\"arguments\":" + arguments.replace('\'', '"') + "}"))
        .send(Json.class);
  }

  Json call(String tool, String arguments) {
    return send(client, tool, arguments).await();
  }

  static String text(Json result) {
    return result.get("content").at(0).get("text").as(String.class);
  }

  static Json structured(Json result) {
    assertThat(result.get("isError")).as(text(result)).isNotEqualTo(Json.TRUE);
    return Objects.requireNonNull(result.get("structuredContent"));
  }

  static String error(Json result) {
    assertThat(result.get("isError")).as(text(result)).isEqualTo(Json.TRUE);
    return text(result);
  }

  Json launched(String arguments) {
    call("set_breakpoints", "{'file':'a.txt','breakpoints':[{'line':3},{'line':6}]}");
    return call("launch", arguments);
  }

  Json launched() {
    return launched("{'program':'a.txt','timeout':30}");
  }

  static String frame(Json stopped) {
    return structured(stopped).get("frame").get("frame").as(String.class);
  }

  String awaitSeen(String start) throws InterruptedException {
    for (String seen = ""; ; ) {
      if (seen.startsWith(start)) {
        return seen;
      }
      seen = script.seen.poll(30, TimeUnit.SECONDS);
      assertThat(seen).as("waiting for " + start).isNotNull();
    }
  }
}

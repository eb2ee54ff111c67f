package dev.repartee.mcp.lsp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.lsp.types.*;
import dev.repartee.mcp.McpServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A language server of the test, asked by an MCP client of the test. */
@Timeout(60)
abstract class LanguageToolsFixture {
  static final String TEXT = "int area;\n\uD83D\uDE00 area = 2;\nbad\n";

  @TempDir
  Path folder;

  final FakeServer.Script script = new FakeServer.Script();
  final BlockingQueue<Json> logs = new LinkedBlockingQueue<>();
  final BlockingQueue<Json> progress = new LinkedBlockingQueue<>();
  final BlockingQueue<String> changes = new LinkedBlockingQueue<>();
  final McpServer mcp = McpServer.builder("test", "1").build();
  Server language;
  Server served;
  Peer client;
  LanguageTools tools;
  Path file;

  @BeforeEach
  void listen() throws IOException {
    folder = folder.toRealPath();
    file = Files.writeString(folder.resolve("a.c"), TEXT);
    language = script.listen();
    served = mcp.listen("mem:mcp-lsp-" + System.identityHashCode(this));
    Service notifications = Service.builder()
        .method("notifications/message", call -> logs.add(call.params()))
        .method("notifications/progress", call -> progress.add(call.params()))
        .method("notifications/tools/list_changed", call -> changes.add("changed"))
        .build();
    client = Repartee.connect(served.endpoint(), notifications, Options.DEFAULT);
    client.request("initialize").params(Json.parse("""
        {"protocolVersion":"2025-11-25","capabilities":{},\
        "clientInfo":{"name":"test","version":"1"}}""")).call(Json.class);
    client.request("notifications/initialized").params(Json.EMPTY_OBJECT).sendNotification();
  }

  @AfterEach
  void close() {
    client.close();
    served.close();
    if (tools != null) {
      tools.close();
    }
    language.close();
  }

  LanguageTools.Builder builder() {
    return LanguageTools.builder(language.endpoint().toString(), folder);
  }

  void start() throws IOException {
    tools = builder().start(mcp);
  }

  CallFuture<Json> send(String tool, String arguments) {
    return client
        .request("tools/call")
        .params(Json.parse("""
            {"name":"%s","arguments":%s,"_meta":{"progressToken":7}}\
            """.formatted(tool, arguments.replace('\'', '"'))))
        .send(Json.class);
  }

  Json call(String tool, String arguments) {
    return send(tool, arguments).await();
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

  Json listed(String tool) {
    return client
        .request("tools/list")
        .params(Json.EMPTY_OBJECT)
        .call(Json.class)
        .get("tools")
        .elements()
        .stream()
        .filter(each -> each.get("name").equals(Json.of(tool)))
        .findAny()
        .orElse(null);
  }

  void answer(String method, FakeServer.Answer answer) {
    script.answers.put(method, answer);
  }

  void capabilities(String json) {
    script.capabilities = Json.parse(json.replace('\'', '"'));
  }

  String uri() {
    return file.toUri().toString();
  }

  String location(int line, int start, int end) {
    return location(uri(), line, start, end);
  }

  static String location(String uri, int line, int start, int end) {
    return """
        {"uri":"%s","range":{"start":{"line":%s,"character":%s},"end":{"line":%s,"character":%s}}}\
        """.formatted(uri, line, start, line, end);
  }

  void awaitSeen(String event) throws InterruptedException {
    for (String seen = ""; !seen.startsWith(event); ) {
      seen = script.seen.poll(30, TimeUnit.SECONDS);
      assertThat(seen).as("waiting for " + event).isNotNull();
    }
  }

  List<String> seen() {
    List<String> seen = new java.util.ArrayList<>();
    script.seen.drainTo(seen);
    return seen;
  }
}

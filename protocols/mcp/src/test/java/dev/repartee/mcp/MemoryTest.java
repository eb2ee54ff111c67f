package dev.repartee.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the memory that clients can occupy in a server with a small heap. */
@Tag("ci")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MemoryTest {
  private static final int SIZE = 900_000;
  private static final String PAD = "x".repeat(SIZE);
  private static final String META = ",\"_meta\":{"
      + "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      + "\"io.modelcontextprotocol/clientCapabilities\":CAPABILITIES}";
  private static final String TASKS =
      META.replace("CAPABILITIES", "{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}");
  private static final String NO_TASKS = META.replace("CAPABILITIES", "{}");

  private Process process;
  private Http http;
  private Http session;

  /** Starts a server that exits when an allocation fails. */
  private void start(int megabytes) throws Exception {
    process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx" + megabytes + "m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseG1GC",
            "-XX:G1HeapRegionSize=1m",
            "-XX:+ExitOnOutOfMemoryError",
            "-cp",
            System.getProperty("java.class.path"),
            CrowdedServer.class.getName())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
    BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    http = new Http(URI.create(out.readLine()));
    session = begin("");
  }

  @AfterEach
  void kill() {
    process.destroyForcibly();
  }

  // ---------------------------------------------------------------- requests

  private Http begin(String said) throws Exception {
    HttpResponse<String> answer = http.post("""
        {"jsonrpc":"2.0","id":0,"method":"initialize",\
        "params":{"protocolVersion":"2025-11-25",\
        "capabilities":{"experimental":{"x":{"y":"%s"}}},"clientInfo":{"name":"t",\
        "version":"1"}}}""".formatted(said));
    assertThat(answer.body()).contains("\"result\"");
    return http.with(
            "Mcp-Session-Id", answer.headers().firstValue("mcp-session-id").orElseThrow())
        .with("MCP-Protocol-Version", "2025-11-25");
  }

  private static String call(int id, String tool, String arguments, String meta) {
    return """
        {"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":{%s}%s}}\
        """.formatted(id, tool, arguments, meta);
  }

  private Http stateless(String tool) {
    return http.stateless("tools/call").with("Mcp-Name", tool);
  }

  /**
   * Calls a tool that returns a number. The call must be served even if the memory budget is
   * exhausted.
   */
  private long number(String tool) throws Exception {
    HttpResponse<String> answer = stateless(tool).post(call(1, tool, "", NO_TASKS));
    assertThat(answer.statusCode()).describedAs(answer.body()).isEqualTo(200);
    Json content = Objects.requireNonNull(Http.json(answer).get("result")).get("content");
    return Long.parseLong(content.at(0).get("text").as(String.class));
  }

  private void servesOthers() throws Exception {
    HttpResponse<String> answer = session.post(call(1, "text", "\"length\":600000", ""));
    assertThat(answer.statusCode()).describedAs(answer.body()).isEqualTo(200);
    assertThat(answer.body()).hasSizeGreaterThan(600_000);
    assertThat(process.isAlive()).isTrue();
  }

  private static boolean isRefused(HttpResponse<String> answer) {
    if (answer.statusCode() == 503 || answer.body().contains("\"code\":-31000")) {
      return true;
    }
    assertThat(answer.statusCode()).describedAs(answer.body()).isEqualTo(200);
    return false;
  }

  /** Starts calls that keep memory, and waits until each call runs or is refused. */
  private List<CompletableFuture<Boolean>> hold(
      int count, IntFunction<CompletableFuture<HttpResponse<String>>> start) throws Exception {
    List<CompletableFuture<Boolean>> refused = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      // The client fails with an IOException if the refusal arrives before it has sent the whole
      // request.
      refused.add(start.apply(i).thenApply(MemoryTest::isRefused).exceptionally(failure -> {
        if (failure.getCause() instanceof IOException) {
          return true;
        }
        throw new AssertionError(failure);
      }));
    }
    while (number("holding")
            + refused.stream().filter(CompletableFuture::isDone).count()
        < count) {
      Thread.sleep(20);
    }
    return refused;
  }

  private void release(List<CompletableFuture<Boolean>> calls) throws Exception {
    number("release");
    for (CompletableFuture<Boolean> each : calls) {
      each.get();
    }
    while (number("holding") > 0) {
      Thread.sleep(10);
    }
  }

  private CompletableFuture<HttpResponse<String>> inSession(int id) {
    return session.later(call(id, "hold", "\"pad\":\"" + PAD + "\"", ""));
  }

  private CompletableFuture<HttpResponse<String>> alone(int id) {
    return stateless("hold").later(call(id, "hold", "\"pad\":\"" + PAD + "\"", NO_TASKS));
  }

  private HttpResponse<String> task(int id) throws Exception {
    return stateless("hold").post(call(id, "hold", "\"pad\":\"" + PAD + "\"", TASKS));
  }

  private String stateOf(String task) throws Exception {
    return http.stateless("tasks/get")
        .with("Mcp-Name", task)
        .post("""
            {"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"%s"%s}}\
            """.formatted(task, TASKS))
        .body();
  }

  // ---------------------------------------------------------------- tests

  @ParameterizedTest
  @ValueSource(ints = {256, 512})
  void noClientCanExhaustTheMemoryAndOthersAreServed(int megabytes) throws Exception {
    start(megabytes);
    int many = megabytes / 3; // more than a quarter of the heap

    List<CompletableFuture<Boolean>> calls = hold(many, this::inSession);
    servesOthers();
    release(calls);

    calls = hold(many, this::alone);
    servesOthers();
    release(calls);

    List<String> tasks = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      HttpResponse<String> answer = task(i);
      if (!isRefused(answer)) {
        Json handle = Objects.requireNonNull(Http.json(answer).get("result"), answer.body());
        tasks.add(handle.get("taskId").as(String.class));
      }
    }
    int running = 0;
    for (String id : tasks) {
      String state = stateOf(id);
      assertThat(state).containsAnyOf("\"working\"", "\"code\":-31000");
      running += state.contains("\"working\"") ? 1 : 0;
    }
    assertThat(running).isBetween(megabytes / 8, many - 1);
    servesOthers();
    number("release");

    for (int i = 0; i < megabytes / 16 + 10; i++) {
      stateless("text").post(call(i, "text", "\"length\":" + SIZE, TASKS));
    }
    servesOthers();

    for (int i = 0; i < 150; i++) {
      Http other = begin(PAD.substring(0, 60_000));
      other.post("""
          {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"%s"}}\
          """.formatted(PAD.substring(0, 60_000)));
    }
    session = begin("");
    servesOthers();

    for (int i = 0; i < megabytes / 16; i++) {
      session = i % 8 == 0 ? begin("") : session;
      assertThat(session.post(call(i, "chat", "", "")).body()).contains("said");
    }
    servesOthers();
    assertThat(number("heap")).isLessThan(megabytes * 1_000_000L);
  }

  @Test
  void theConnectionsOfOneClientTakeHalfOfTheirMemoryAndNothingFromHttpSessions() throws Exception {
    start(128);
    List<Http.Events> connections = new ArrayList<>();
    int begun = 0;
    for (int i = 0; i < 60; i++) { // each with 120 KB; the memory of sessions is 4 MB
      Http.Events events = http.listen();
      connections.add(events);
      begun += beginsOver(events, PAD.substring(0, 60_000)) ? 1 : 0;
    }
    assertThat(begun).isBetween(10, 20);
    servesOthers(); // in a session that began before

    Http.Events small = http.listen();
    connections.add(small);
    assertThat(beginsOver(small, "")).isTrue();
    session = begin(PAD.substring(0, 60_000));
    servesOthers();

    for (Http.Events each : connections) {
      each.close();
    }
  }

  /** Performs the handshake of 2024-11-05. Returns false if the server is busy. */
  private boolean beginsOver(Http.Events events, String said) throws Exception {
    String path = Objects.requireNonNull(events.next()).fields().get("data");
    HttpResponse<String> posted = http.at(path).post("""
        {"jsonrpc":"2.0","id":0,"method":"initialize",\
        "params":{"protocolVersion":"2024-11-05",\
        "capabilities":{"experimental":{"x":{"y":"%s"}}},"clientInfo":{"name":"t",\
        "version":"1"}}}""".formatted(said));
    assertThat(posted.statusCode()).isEqualTo(202);
    Json answer = Objects.requireNonNull(events.next()).json();
    if (answer.get("error") != null) {
      assertThat(answer.toString()).contains("-31000", "sessionBytes");
    }
    return answer.get("result") != null;
  }

  @ParameterizedTest
  @ValueSource(strings = {"call in a session", "call alone", "task"})
  void aRunningCallKeepsItsRequestInMemoryOnce(String kind) throws Exception {
    start(512);
    long before = number("heap");
    if (kind.equals("task")) {
      for (int i = 0; i < 20; i++) {
        assertThat(task(i).body()).contains("taskId");
      }
    } else {
      hold(20, kind.endsWith("session") ? this::inSession : this::alone);
    }
    assertThat((number("heap") - before) / 20).isLessThan(SIZE * 3 / 2);
  }
}

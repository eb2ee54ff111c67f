package dev.repartee.mcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.ToolResult;
import dev.repartee.testkit.fault.Fault;
import dev.repartee.testkit.fault.FaultProxy;
import dev.repartee.testkit.fault.Faults;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests connections and processes that end while calls are under way. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LostConnectionsTest {
  private static String process(Class<?> server) {
    return "exec:"
        + Json.of(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            server.getName()));
  }

  @ParameterizedTest
  @CsvSource({"2025-11-25", "2026-07-28"})
  void aProcessThatHasEndedIsStartedAgainForTheNextCall(String revision) throws Exception {
    BlockingQueue<String> errors = new LinkedBlockingQueue<>();
    try (McpClient client = McpClient.builder("t", "1")
        .revisions(Revision.of(revision))
        .onStderr(errors::add)
        .connect(process(CrashingServer.class))) {
      ToolResult first = client.call("pid", null);

      assertThatThrownBy(() -> client.call("crash", null))
          .isInstanceOf(DisconnectedException.class);

      ToolResult second = client.call("pid", null);
      assertThat(second.content()).isNotEqualTo(first.content());
      assertThat(errors.poll(60, TimeUnit.SECONDS)).isEqualTo("a line of the server");
      assertThat(errors.poll(60, TimeUnit.SECONDS)).isEqualTo("a line of the server");
    }
  }

  @Test
  void aProcessEndsWithItsClient() throws Exception {
    ProcessHandle process;
    try (McpClient client = McpClient.connect(process(CrashingServer.class))) {
      String pid = ((Content.Text) client.call("pid", null).content().get(0)).text();
      process = ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
    }
    process.onExit().get(60, TimeUnit.SECONDS);
  }

  @Test
  void aCommandThatDoesNotExistIsReported() {
    assertThatThrownBy(() -> McpClient.connect("exec:/no/such/server"))
        .isInstanceOf(java.io.IOException.class)
        .hasMessageContaining("/no/such/server");
  }

  /** Calls that were made over a faulty network, and the runs of each at the server. */
  @ParameterizedTest
  @CsvSource({
    "tcp, 2025-11-25",
    "tcp, 2026-07-28",
    "ws, 2026-07-28",
    "http, 2024-11-05",
    "http, 2025-06-18",
    "http, 2025-11-25",
    "http, 2026-07-28"
  })
  void noCallIsLostAndNoneRunsTwice(String transport, String revision) throws Exception {
    Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
    McpServer mcp = McpServer.builder("counting", "1")
        .tool(Tool.named("count")
            .input(Json.parse("""
                {"type":"object","properties":{"id":{"type":"string"}}}"""))
            .description("Counts")
            .handle((call, arguments) -> {
              String id = arguments.get("id").as(String.class);
              runs.computeIfAbsent(id, key -> new AtomicInteger()).incrementAndGet();
              call.progress(1, 2);
              return id;
            }))
        .build();
    String path = transport.equals("tcp") ? "" : "/mcp";
    try (Server server = mcp.listen(transport + "://127.0.0.1:0" + path);
        FaultProxy proxy = FaultProxy.to(server.endpoint());
        McpClient client = McpClient.builder("t", "1")
            .timeout(Duration.ofSeconds(30))
            .revisions(Revision.of(revision))
            .connect(proxy.endpoint().toString())) {
      int answered = 0;
      int failed = 0;
      // No fault strikes in the last round: it ends when the client has detected the last cut.
      for (int round = 0; round <= 12; round++) {
        if (round % 4 == 1) {
          proxy.strike(Faults.toClient(Fault.cut(700)));
        } else if (round % 4 == 2) {
          proxy.strike(Faults.NONE);
          proxy.reset();
        } else if (round % 4 == 3) {
          proxy.cut();
        }
        Map<String, CompletableFuture<ToolResult>> calls = new java.util.LinkedHashMap<>();
        for (int i = 0; i < 5; i++) {
          String id = round + "." + i;
          calls.put(
              id,
              client
                  .request("count")
                  .argument("id", id)
                  .onProgress(progress -> {})
                  .send());
        }
        for (Map.Entry<String, CompletableFuture<ToolResult>> call : calls.entrySet()) {
          try {
            assertThat(call.getValue().get(60, TimeUnit.SECONDS).content())
                .containsExactly(Content.text(call.getKey()));
            assertThat(runs.get(call.getKey())).hasValue(1);
            answered++;
          } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(DisconnectedException.class);
            failed++;
          }
        }
      }
      proxy.strike(Faults.NONE);
      assertThat(answered + failed).isEqualTo(65);
      assertThat(answered).isPositive();
      assertThat(runs.values()).allMatch(count -> count.get() == 1);
      assertThat(client.call("count", Map.of("id", "last")).isError()).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({"tcp, 2025-11-25", "tcp, 2026-07-28", "http, 2025-11-25", "http, 2026-07-28"})
  void aSubscriptionIsOpenedAgain(String transport, String revision) throws Exception {
    McpServer mcp = watched();
    BlockingQueue<Change> changes = new LinkedBlockingQueue<>();
    String path = transport.equals("tcp") ? "" : "/mcp";
    try (Server server = mcp.listen(transport + "://127.0.0.1:0" + path);
        FaultProxy proxy = FaultProxy.to(server.endpoint());
        McpClient client = McpClient.builder("t", "1")
            .revisions(Revision.of(revision))
            .connect(proxy.endpoint().toString());
        Subscription subscription =
            client.listen(ChangeFilter.resources("test://a"), changes::add)) {
      mcp.updated("test://a");
      assertThat(changes.poll(60, TimeUnit.SECONDS))
          .isEqualTo(new Change(Change.Kind.RESOURCE, "test://a"));

      proxy.cut();

      List<Change> seen = new ArrayList<>();
      do {
        mcp.updated("test://a");
        Change next = changes.poll(200, TimeUnit.MILLISECONDS);
        if (next != null) {
          seen.add(next);
        }
      } while (!seen.contains(new Change(Change.Kind.RESOURCE, "test://a")));
      assertThat(subscription.isOpen()).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({"tcp, 2025-11-25", "http, 2025-11-25", "http, 2026-07-28"})
  void aSubscriptionIsOpenedAtARestartedServer(String transport, String revision) throws Exception {
    String path = transport.equals("tcp") ? "" : "/mcp";
    String place = transport + "://127.0.0.1:0" + path;
    McpServer[] mcp = {watched(), watched()};
    Server[] server = {mcp[0].listen(place)};
    Endpoint first = server[0].endpoint();
    BlockingQueue<Change> changes = new LinkedBlockingQueue<>();
    try (FaultProxy proxy = FaultProxy.at(
            first.at(first.address().replaceFirst(":[0-9]+", ":0")),
            () -> server[0].endpoint(),
            () -> Faults.NONE);
        McpClient client = McpClient.builder("t", "1")
            .revisions(Revision.of(revision))
            .connect(proxy.endpoint().toString());
        Subscription subscription =
            client.listen(ChangeFilter.resources("test://a"), changes::add)) {
      server[0].close();
      proxy.cut(); // before the client can reach the other server, so that it connects there once
      server[0] = mcp[1].listen(place);

      assertThat(changes.poll(60, TimeUnit.SECONDS))
          .isEqualTo(new Change(Change.Kind.RENEWED, null));
      mcp[1].updated("test://a");
      assertThat(changes.poll(60, TimeUnit.SECONDS))
          .isEqualTo(new Change(Change.Kind.RESOURCE, "test://a"));
      assertThat(subscription.isOpen()).isTrue();
    } finally {
      server[0].close();
    }
  }

  private static McpServer watched() {
    return McpServer.builder("watched", "1")
        .resource(Resource.of("test://a", "a", "A", "text/plain"), call -> "a")
        .build();
  }

  @Test
  void aRestartedServerOverHttpServesTheNextCall() throws Exception {
    McpServer mcp = McpServer.builder("restarted", "1")
        .tool(Tool.named("t").description("A tool").handle((call, arguments) -> "done"))
        .build();
    Server[] server = {mcp.listen("http://127.0.0.1:0/mcp")};
    Endpoint first = server[0].endpoint();
    Semaphore dialled = new Semaphore(0);
    try (FaultProxy proxy = FaultProxy.at(
            first.at(first.address().replaceFirst(":[0-9]+", ":0")),
            () -> {
              Endpoint target = server[0].endpoint();
              dialled.release();
              return target;
            },
            () -> Faults.NONE);
        McpClient client = McpClient.builder("t", "1")
            .revisions(Revision.V2025_11_25)
            .connect(proxy.endpoint().toString())) {
      assertThat(client.call("t", null).isError()).isFalse();

      server[0].close();
      proxy.cut();
      // When the client opens a connection, here for its stream of messages, it has detected the
      // end of the idle connections. A call on one of them would be lost.
      dialled.drainPermits();
      assertThat(dialled.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
      server[0] = McpServer.builder("restarted", "1")
          .tool(Tool.named("t").description("A tool").handle((call, arguments) -> "again"))
          .build()
          .listen("http://127.0.0.1:0/mcp");

      assertThat(client.call("t", null).content()).containsExactly(Content.text("again"));
    } finally {
      server[0].close();
    }
  }
}

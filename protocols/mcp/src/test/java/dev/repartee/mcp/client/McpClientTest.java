package dev.repartee.mcp.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallTimeoutException;
import dev.repartee.FrameResponder;
import dev.repartee.Layer;
import dev.repartee.Options;
import dev.repartee.Param;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Prompt;
import dev.repartee.mcp.TestServer;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.mcp.types.PromptMessage;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.ResourceContents;
import dev.repartee.mcp.types.ResourceTemplate;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.Role;
import dev.repartee.mcp.types.Root;
import dev.repartee.mcp.types.Sampling;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.types.ToolResult;
import dev.repartee.transport.ChannelInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the client with the server of this library, in every revision and over every transport. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("deprecation") // deprecated by the specification, but still supported
class McpClientTest {
  private static final AtomicInteger NAMES = new AtomicInteger();

  /** A revision over a transport. */
  record Way(String transport, Revision revision) {
    @Override
    public String toString() {
      return transport + " " + revision;
    }
  }

  static Stream<Way> ways() {
    return Stream.of("mem", "tcp", "unix", "ws", "http")
        .flatMap(transport ->
            Stream.of(Revision.values()).map(revision -> new Way(transport, revision)));
  }

  /** A few transports with a handshake or the stateless revision, for slow tests. */
  static Stream<Way> fewWays() {
    return Stream.of(
        new Way("mem", Revision.V2025_11_25),
        new Way("tcp", Revision.V2026_07_28),
        new Way("http", Revision.V2025_11_25),
        new Way("http", Revision.V2026_07_28));
  }

  @TempDir
  Path folder;

  private Server server;
  private McpServer mcp;
  private McpClient client;

  private String place(String transport) {
    return switch (transport) {
      case "mem" -> "mem:mcp-client-test-" + NAMES.incrementAndGet();
      case "unix" -> "unix:" + folder.resolve("s");
      case "tcp" -> "tcp://127.0.0.1:0";
      default -> transport + "://127.0.0.1:0/mcp";
    };
  }

  private McpClient connect(Way way, McpClient.Builder settings) throws Exception {
    mcp = TestServer.builder()
        .pageSize(3)
        .tool(Tool.named("ask")
            .description("Asks the model")
            .handle((call, arguments) -> call.sample("q", Sampling.of("What now?", 50))
                    .text() + " " + call.roots("r").get(0).uri()))
        .tool(Tool.named("log").description("Logs").handle((call, arguments) -> {
          call.log(LogLevel.INFO, "a line");
          return "logged";
        }))
        .prompt(Prompt.named("choose")
            .description("Has an argument that is completed")
            .required("color", "The color")
            .completedBy((value, context) -> Stream.of("red", "rose", "blue")
                .filter(c -> c.startsWith(value))
                .toList())
            .handle((call, arguments) -> "I take " + arguments.get("color")))
        .build();
    server = mcp.listen(place(way.transport));
    client = settings.revisions(way.revision).connect(server.endpoint().toString());
    assertThat(client.revision()).isEqualTo(way.revision);
    return client;
  }

  private McpClient connect(Way way) throws Exception {
    return connect(way, settings());
  }

  private static McpClient.Builder settings() {
    return McpClient.builder("test", "1").timeout(Duration.ofSeconds(60));
  }

  @AfterEach
  void close() {
    if (client != null) {
      client.close();
    }
    if (server != null) {
      server.close();
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void callsToolsAndReadsListsResourcesAndPrompts(Way way) throws Exception {
    connect(way);

    assertThat(client.server().name()).isEqualTo("test");
    assertThat(client.instructions()).isEqualTo("Add things.");
    assertThat(client.tools().map(RemoteTool::name))
        .contains("add", "echo", "work", "fail", "greet", "ask");
    assertThat(client.call("echo", Map.of("text", "hällo")).content())
        .containsExactly(Content.text("hällo"));
    ToolResult sum = client.call("add", Json.parse("{\"a\":2,\"b\":3}"));
    assertThat(sum.structured())
        .isEqualTo(way.revision.isAtLeast(Revision.V2025_06_18) ? Json.parse("{\"sum\":5}") : null);
    assertThat(client.call("fail", null).isError()).isTrue();
    assertThatThrownBy(() -> client.call("none", null)).isInstanceOf(RpcException.class);
    assertThat(client.resources().map(Resource::uri)).containsExactly("test://one");
    assertThat(client.templates().map(ResourceTemplate::uriTemplate))
        .containsExactly("test://item/{id}");
    assertThat(client.read("test://item/7"))
        .containsExactly(ResourceContents.text("test://item/7", "text/plain", "Item 7"));
    assertThatThrownBy(() -> client.read("test://none")).isInstanceOf(RpcException.class);
    assertThat(client.prompts().map(RemotePrompt::name)).contains("review", "choose");
    assertThat(client.prompt("review", Map.of("code", "x = 1")).messages())
        .containsExactly(new PromptMessage(Role.USER, Content.text("Review x = 1")));
    assertThat(client.completePrompt("choose", "color", "r", Map.of()).values())
        .containsExactly("red", "rose");
    client.ping();
  }

  @ParameterizedTest
  @MethodSource("ways")
  void reportsProgressBeforeTheResult(Way way) throws Exception {
    connect(way);
    List<Double> reported = new ArrayList<>();

    client
        .request("work")
        .argument("endless", false)
        .onProgress(progress -> reported.add(progress.progress()))
        .call();

    assertThat(reported).containsExactly(1.0, 2.0, 3.0);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aCancelledCallEndsAtTheServer(Way way) throws Exception {
    connect(way);
    CompletableFuture<Void> begun = new CompletableFuture<>();
    CompletableFuture<ToolResult> call = client
        .request("work")
        .argument("endless", true)
        .onProgress(progress -> begun.complete(null))
        .send();
    begun.get(60, TimeUnit.SECONDS);

    call.cancel(true);

    assertThatThrownBy(call::get).isInstanceOf(CancellationException.class);
    ToolResult running;
    do {
      running = client.call("running", null);
    } while (!running.content().equals(List.of(Content.text("0"))));
  }

  @ParameterizedTest
  @MethodSource("ways")
  void handlersAnswerTheQuestionsOfTheServer(Way way) throws Exception {
    connect(
        way,
        settings()
            .onElicitation(
                form -> new Elicitation.Answer("accept", Json.parse("{\"name\":\"Ann\"}")))
            .onSampling(question ->
                new Sampling.Answer("assistant", Content.text("Tea.").json(), "model", "endTurn"))
            .roots(() -> List.of(new Root("file:///home", "home"))));

    assertThat(client.call("ask", null).content())
        .containsExactly(Content.text("Tea. file:///home"));
    if (way.revision.isAtLeast(Revision.V2025_06_18)) {
      assertThat(client.call("greet", null).content())
          .containsExactly(Content.text("Hello, \"Ann\""));
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void subscriptionsReportChanges(Way way) throws Exception {
    connect(way);
    BlockingQueue<Change> changes = new LinkedBlockingQueue<>();
    ChangeFilter filter =
        new ChangeFilter(true, false, false, java.util.Set.of("test://one"), java.util.Set.of());

    try (Subscription subscription = client.listen(filter, changes::add)) {
      assertThat(subscription.honoured().tools()).isTrue();
      assertThat(subscription.honoured().uris()).containsExactly("test://one");
      mcp.updated("test://one");
      assertThat(changes.poll(60, TimeUnit.SECONDS))
          .isEqualTo(new Change(Change.Kind.RESOURCE, "test://one"));
      mcp.tools().add(Tool.named("more").description("More").handle((call, arguments) -> "more"));
      assertThat(changes.poll(60, TimeUnit.SECONDS)).isEqualTo(new Change(Change.Kind.TOOLS, null));
    }
    assertThat(client.tools().map(RemoteTool::name)).contains("more");
  }

  @ParameterizedTest
  @MethodSource("fewWays")
  void aSubscriptionOutlivesTheCallWhoseHandlerHasOpenedIt(Way way) throws Exception {
    BlockingQueue<String> limited = new LinkedBlockingQueue<>();
    Layer layer = (call, next) -> {
      Duration left = call.timeLeft();
      if (left != null && left.compareTo(Duration.ofSeconds(60)) > 0) {
        limited.add(call.method());
      }
      return next.handle(call);
    };
    Options options = Options.builder()
        .callLayer(layer)
        .limits(limits -> limits.callTimeout(Duration.ZERO))
        .build();
    connect(way, settings().options(options));
    Service front = Service.builder()
        .method("watch", call -> {
          ChangeFilter filter = new ChangeFilter(
              false, false, false, java.util.Set.of("test://one"), java.util.Set.of());
          client.listen(filter, change -> {}).close();
          return true;
        })
        .build();
    Options hours = Options.builder()
        .limits(limits -> limits.handlerTimeout(Duration.ofHours(1)))
        .build();
    byte[] answer = FrameResponder.of(front, hours, new ChannelInfo("test", "", "message"))
        .respond("""
            {"jsonrpc":"2.0","method":"watch","id":1}""".getBytes(UTF_8));
    assertThat(new String(answer, UTF_8)).contains("\"result\":true");
    assertThat(limited).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("ways")
  void logMessagesArriveFromTheWantedLevelOn(Way way) throws Exception {
    BlockingQueue<LogMessage> messages = new LinkedBlockingQueue<>();
    connect(way, settings().onLog(messages::add));
    client.logLevel(LogLevel.DEBUG);

    client.call("log", null);

    assertThat(messages.poll(60, TimeUnit.SECONDS))
        .isEqualTo(new LogMessage(LogLevel.INFO, null, Json.of("a line")));
  }

  /** Tools of the test server. */
  interface Arithmetic {
    TestServer.Sum add(@Param("a") int a, @Param("b") int b);

    String echo(@Param("text") String text);

    CompletableFuture<String> greet();

    void fail();

    default int twice(int a) {
      return add(a, a).sum();
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void methodsOfAnInterfaceCallTools(Way way) throws Exception {
    connect(way);
    Arithmetic tools = client.proxy(Arithmetic.class);

    assertThat(tools.add(1, 2)).isEqualTo(new TestServer.Sum(3));
    assertThat(tools.twice(4)).isEqualTo(8);
    assertThat(tools.echo("a")).isEqualTo("a");
    assertThatThrownBy(tools::fail).isInstanceOf(ToolException.class);
  }

  @ParameterizedTest
  @MethodSource("fewWays")
  void aCallThatTakesTooLongTimesOutAndEndsAtTheServer(Way way) throws Exception {
    connect(way);

    assertThatThrownBy(() -> client
            .request("work")
            .argument("endless", true)
            .timeout(Duration.ofMillis(300))
            .call())
        .isInstanceOf(CallTimeoutException.class);
    ToolResult running;
    do {
      running = client.call("running", null);
    } while (!running.content().equals(List.of(Content.text("0"))));
  }

  @ParameterizedTest
  @MethodSource("fewWays")
  void manyCallsRunAtTheSameTime(Way way) throws Exception {
    connect(way);
    List<CompletableFuture<ToolResult>> calls = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      calls.add(client.request("echo").argument("text", "call " + i).send());
    }
    for (int i = 0; i < 200; i++) {
      assertThat(calls.get(i).get().content()).containsExactly(Content.text("call " + i));
    }
  }
}

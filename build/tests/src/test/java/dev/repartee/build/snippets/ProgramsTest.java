package dev.repartee.build.snippets;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.build.snippets.CoreTour.Point;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.transport.http.HttpRequest;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs the code of the pages. The programs of README.md run as a reader would run them, each in a
 * separate JVM.
 */
class ProgramsTest {
  private static final int PATIENCE_SECONDS = 60;
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));

  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void end() {
    started.forEach(Process::destroyForcibly);
  }

  @Test
  void clientOfTheReadmeCallsItsServer() throws Exception {
    Process server = start("CalculatorServer", "tcp://127.0.0.1:0");
    String line = lines(server)
        .lines() // the first ones are the hint that the class has no names of parameters
        .filter(each -> each.startsWith("listening on tcp://127.0.0.1:"))
        .findFirst()
        .orElseThrow();

    Process client = start("CalculatorClient", line.substring("listening on ".length()));
    assertThat(lines(client).lines()).containsExactly("19");
    assertThat(client.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(client.exitValue()).isZero();
  }

  @Test
  void tourOfCoreGoesBothWays() throws Exception {
    try (Server server = CoreTour.serve("tcp://127.0.0.1:0")) {
      assertThat(CoreTour.call(server.endpoint().toString()))
          .containsExactly(new Point(4, 5), 5.0, 3.0, 1);
    }
  }

  @Test
  void tourOfTheEditorTakesItsParamsAsAWhole() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", EditorTour.service())) {
      assertThat(EditorTour.call(server.endpoint().toString()))
          .containsExactly("line 7", Map.of("contents", "line 8"));
    }
  }

  @Test
  void recordingOfTheGuideIsReadBack(@TempDir Path temp) throws Exception {
    Path file = temp.resolve("guide.jsonl");
    TraceTour.record("mem:guide", Service.builder().method("sum", call -> 7).build(), file);
    TraceTour.read(file);
    assertThat(Files.readString(file))
        .contains("\"dir\":\"in\"", "\"params\":[0,0,0]", "\"result\":0");
  }

  @Test
  void tourOfStreamsGetsTheItems() throws Exception {
    StreamsTour.Node node = new StreamsTour.Node();
    Service service = Service.builder()
        .all(Service.of(new StreamsTour.Table()))
        .all(StreamsTour.numbers())
        .all(Service.of(node))
        .all(Service.of(new StreamsTour.Symbols()))
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service)) {
      String uri = server.endpoint().toString();
      assertThat(StreamsTour.read(uri))
          .containsExactly("row 0", "row 1", "row 2", 3, 4, "s1", "s2");
      assertThat(StreamsTour.firstHead(uri, node)).isEqualTo("0x1");
    }
    assertThat(StreamsTour.announce("tcp://127.0.0.1:0", new CountDownLatch(1))).isZero();
  }

  @Test
  void scriptedClientOfTheTestkitIsAnswered() {
    ScriptedClient.play(Service.of(new CalculatorServer()));
  }

  @Test
  void shopOfJacksonTakesAndGivesTypesOfItsOwn() throws Exception {
    assertThat(JacksonShop.place("{\"size\":\"SMALL\",\"due\":\"2030-01-02\"}"))
        .isEqualTo("{\"kind\":\"accepted\",\"due\":\"2030-01-02\"}");
    assertThat(JacksonShop.place("{\"size\":\"LARGE\",\"due\":\"2030-01-02\"}"))
        .isEqualTo("{\"kind\":\"refused\",\"why\":\"too large\"}");
  }

  @Test
  void clientOfNettySendsItsHeader() throws Exception {
    List<Object> headerValues = new CopyOnWriteArrayList<>();
    Service service = Service.builder()
        .method("subtract", call -> {
          Map<String, String> headers = call.attributes().get(HttpRequest.HEADERS);
          headerValues.add(headers.get("authorization"));
          return 19;
        })
        .build();
    assertThat(NettyTour.call(service, "t0ken")).isEqualTo(19);
    assertThat(headerValues).containsExactly("Bearer t0ken");
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "ws"})
  void tokenLayerOfSecurityRefusesOtherClients(String scheme) throws Exception {
    try (Server server = NettyTour.serve(scheme + "://127.0.0.1:0/", "t0ken")) {
      String uri = server.endpoint().toString();
      Options right = Options.builder().header("Authorization", "Bearer t0ken").build();
      try (Peer peer = Repartee.connect(uri, right)) {
        assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
      }
      Options wrong = Options.builder().header("Authorization", "Bearer token").build();
      for (Options options : List.of(Options.DEFAULT, wrong)) {
        try (Peer peer = Repartee.connect(uri, options)) {
          for (String method : List.of("subtract", "rpc.discover", "rpc.status")) {
            assertThatExceptionOfType(RpcException.class)
                .isThrownBy(() -> peer.call(method, Json.class))
                .satisfies(e -> assertThat(e.code()).isEqualTo(401));
          }
        }
      }
    }
  }

  @Test
  void weatherServerOfMcpListsItsTool() throws Exception {
    McpServer weather =
        McpServer.builder("weather", "1.0").tools(new WeatherServer.Weather()).build();
    assertThat(call(weather, "forecast", "{\"city\":\"Bonn\"}"))
        .contains("\"structuredContent\":{\"city\":\"Bonn\",\"degrees\":21}");
  }

  @Test
  void tourOfMcpBooksATable() throws Exception {
    McpServer tables =
        McpServer.builder("tables", "1.0").tool(McpTour.booking()).build();
    assertThat(call(tables, "book", "{\"guests\":2}")).contains("\"guests\":2");
    assertThat(call(tables, "book", "{\"guests\":9}"))
        .contains("\"resultType\":\"input_required\"", "So many?");
  }

  @Test
  void tourOfMcpIndexesAShelfAsATask() throws Exception {
    McpServer library =
        McpServer.builder("library", "1.0").tool(McpTour.indexing()).build();
    assertThat(call(library, "index", "{\"books\":[]}")).contains("There is nothing on it.");
    assertThat(call(library, "index", "{\"books\":[\"Emma\"]}"))
        .contains("\"resultType\":\"task\"");
  }

  private static String call(McpServer mcp, String tool, String arguments) throws Exception {
    try (Server server = mcp.listen("mem:tour");
        Peer peer = Repartee.connect(server.endpoint())) {
      return peer.request("tools/call")
          .arg("name", tool)
          .arg("arguments", Json.parse(arguments))
          .arg(
              "_meta",
              Json.parse("{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                  + "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{},"
                  + "\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}}"))
          .call(Json.class)
          .toString();
    }
  }

  /** Starts a program from its source, with only core on the class path. */
  private Process start(String program, String uri) throws Exception {
    Path source = ROOT.resolve("build/tests/src/test/java")
        .resolve(getClass().getPackageName().replace('.', '/'))
        .resolve(program + ".java");
    Path core =
        Path.of(Server.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Process process = new ProcessBuilder(
            java.toString(),
            "-XX:TieredStopAtLevel=1",
            "--class-path",
            core.toString(),
            source.toString(),
            uri)
        .redirectErrorStream(true)
        .start();
    started.add(process);
    return process;
  }

  private static BufferedReader lines(Process process) {
    return new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
  }
}

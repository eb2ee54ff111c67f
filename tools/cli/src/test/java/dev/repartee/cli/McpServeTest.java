package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.Child.Outcome;
import dev.repartee.json.Json;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code repartee mcp serve} as a separate process. */
class McpServeTest {
  private static final String INITIALIZE =
      "{'jsonrpc':'2.0','id':1,'method':'initialize','params':{'protocolVersion':'2025-11-25',"
          + "'capabilities':{},'clientInfo':{'name':'test','version':'1'}}}";
  private static final String INITIALIZED =
      "{'jsonrpc':'2.0','method':'notifications/initialized'}";
  private static final String META = "'_meta':{"
      + "'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
      + "'io.modelcontextprotocol/clientCapabilities':{}}";

  private static String call(int id, String tool, String arguments) {
    return "{'jsonrpc':'2.0','id':" + id + ",'method':'tools/call','params':{'name':'" + tool
        + "','arguments':" + arguments + "}}";
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }

  private static Outcome run(List<String> messages, String... words) throws Exception {
    String input = json(String.join("\n", messages)) + "\n";
    String[] line =
        Stream.concat(Stream.of("mcp", "serve"), Stream.of(words)).toArray(String[]::new);
    return Child.run(new ByteArrayInputStream(input.getBytes(UTF_8)), line);
  }

  /** Returns the results by id, because the responses may come in any order. */
  private static Map<Integer, Json> answers(Outcome outcome) {
    assertThat(outcome.exit()).as(outcome.err()).isZero();
    Map<Integer, Json> answers = new LinkedHashMap<>();
    outcome
        .out()
        .lines()
        .map(Json::parse)
        .forEach(answer -> answers.put(at(answer, "id").as(int.class), at(answer, "result")));
    return answers;
  }

  private static Json at(Json json, String... names) {
    Json value = json;
    for (String name : names) {
      value = Objects.requireNonNull(value.get(name), () -> "no '" + name + "' in " + json);
    }
    return value;
  }

  private static Json answer(Map<Integer, Json> answers, int id) {
    return Objects.requireNonNull(answers.get(id), () -> "no " + id + " in " + answers);
  }

  private static String text(Json result) {
    return at(at(result, "content").elements().get(0), "text").as(String.class);
  }

  private static List<String> names(Json result) {
    return at(result, "tools").elements().stream()
        .map(tool -> at(tool, "name").as(String.class))
        .toList();
  }

  @Test
  void theMethodsOfAClassAreToolsOnStandardInputAndOutput() throws Exception {
    Outcome outcome = run(
        List.of(
            INITIALIZE,
            INITIALIZED,
            call(2, "hypot", "{'arg0':3,'arg1':4}"),
            call(3, "hypot", "{'arg0':3,'arg1':'four'}"),
            "{'jsonrpc':'2.0','id':4,'method':'tools/list','params':{" + META + "}}"),
        "--class",
        "java.lang.Math");
    assertThat(outcome.err())
        .endsWith("listening on stdio:\n")
        .contains("repartee: not served: abs");
    Map<Integer, Json> answers = answers(outcome);
    assertThat(answers).containsOnlyKeys(1, 2, 3, 4);
    assertThat(at(answer(answers, 1), "serverInfo", "name")).isEqualTo(Json.of("java.lang.Math"));
    assertThat(text(answer(answers, 2))).isEqualTo("5");
    assertThat(at(answer(answers, 3), "isError")).isEqualTo(Json.TRUE);
    assertThat(text(answer(answers, 3))).contains("arg1");
    assertThat(names(answer(answers, 4))).contains("hypot", "sqrt").doesNotContain("abs");
    assertThat(at(answer(answers, 4), "resultType")).isEqualTo(Json.of("complete"));
  }

  @Test
  void theMethodsOfAServiceAreTools() throws Exception {
    try (Server demo = Repartee.listen("tcp://127.0.0.1:0", Service.of(new Demo()))) {
      Outcome outcome = run(
          List.of(
              INITIALIZE,
              INITIALIZED,
              call(2, "subtract", "{'minuend':42,'subtrahend':23}"),
              call(3, "fail", "{'code':7,'message':'Sold out','data':['tea']}"),
              call(4, "sum", "{'values':[1,2,4]}"),
              "{'jsonrpc':'2.0','id':5,'method':'tools/list'}"),
          demo.endpoint().toString(),
          "--name",
          "demo");
      assertThat(outcome.err())
          .isEqualTo("repartee: not served: numbers (it answers with a stream)\n"
              + "listening on stdio:\n");
      Map<Integer, Json> answers = answers(outcome);
      assertThat(at(answer(answers, 1), "serverInfo", "name")).isEqualTo(Json.of("demo"));
      assertThat(text(answer(answers, 2))).isEqualTo("19");
      assertThat(at(answer(answers, 3), "isError")).isEqualTo(Json.TRUE);
      assertThat(text(answer(answers, 3))).isEqualTo("'fail' failed: Sold out (7): [\"tea\"]");
      assertThat(text(answer(answers, 4))).isEqualTo("7");
      assertThat(names(answer(answers, 5))).contains("get_data", "whoami").hasSize(13);
    }
  }

  @Test
  void theyAreServedOverHttpToo() throws Exception {
    try (Server demo = Repartee.listen("tcp://127.0.0.1:0", Service.of(new Demo()));
        Child server = Child.start(
            "mcp", "serve", demo.endpoint().toString(), "--listen", "http://127.0.0.1:0/mcp")) {
      String uri = server.listening();
      assertThat(uri).matches("http://127\\.0\\.0\\.1:[1-9]\\d*/mcp");
      Json listed = post(
          uri,
          "tools/list",
          "",
          "{'jsonrpc':'2.0','id':1,'method':'tools/list','params':{" + META + "}}");
      assertThat(names(at(listed, "result"))).contains("subtract");
      Json called = post(
          uri,
          "tools/call",
          "subtract",
          "{'jsonrpc':'2.0','id':2,'method':'tools/call','params':{'name':'subtract',"
              + "'arguments':{'minuend':42,'subtrahend':23}," + META + "}}");
      assertThat(text(at(called, "result"))).isEqualTo("19");
      Json refused = post(
          uri,
          "tools/call",
          "subtract",
          "{'jsonrpc':'2.0','id':3,'method':'tools/call','params':{'name':'subtract',"
              + "'arguments':{'minuend':42},"
              + META
              + "}}");
      assertThat(at(refused, "result", "isError")).isEqualTo(Json.TRUE);
      assertThat(text(at(refused, "result"))).contains("subtrahend");
      server.terminate();
      assertThat(server.outcome().exit()).isZero();
    }
  }

  private static Json post(String uri, String method, String name, String message)
      throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(uri))
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", method)
        .POST(HttpRequest.BodyPublishers.ofString(json(message)));
    if (!name.isEmpty()) {
      request.header("Mcp-Name", name);
    }
    HttpResponse<String> response =
        HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return Json.parse(response.body());
  }

  @Test
  void aServiceInAnotherLanguageIsServedByTheMethodsThatAreNamed(@TempDir Path folder)
      throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/node")), "node is missing");
    Path script = folder.resolve("prices.js");
    Files.writeString(script, """
        require('readline').createInterface({input: process.stdin}).on('line', line => {
          const {id, method, params} = JSON.parse(line);
          const answer = method === 'price'
            ? {result: {item: params.item, price: 5}}
            : {error: {code: -32601, message: 'Unknown'}};
          console.log(JSON.stringify({jsonrpc: '2.0', id, ...answer}));
        });
        """);
    String uri = "exec:/usr/bin/node " + script;
    Map<Integer, Json> answers = answers(run(
        List.of(INITIALIZE, INITIALIZED, call(2, "price", "{'item':'tea'}"), call(3, "cost", "{}")),
        uri,
        "--method",
        "price",
        "--method",
        "cost"));
    assertThat(at(answer(answers, 2), "structuredContent"))
        .isEqualTo(Json.parse("{\"item\":\"tea\",\"price\":5}"));
    assertThat(text(answer(answers, 3))).isEqualTo("'cost' failed: Unknown (-32601)");
    assertThat(run(List.of(), uri))
        .isEqualTo(new Outcome(
            1,
            "",
            "repartee: " + uri
                + " does not list its methods: it answers rpc.discover with the error"
                + " Unknown (-32601); name the methods to serve with --method SIGNATURE\n"));
  }

  @Test
  void aSignatureHasAMethodTakeItsParamsByPosition() throws Exception {
    try (Server demo = Repartee.listen("tcp://127.0.0.1:0", Service.of(new Demo()))) {
      Map<Integer, Json> answers = answers(run(
          List.of(
              INITIALIZE,
              INITIALIZED,
              call(2, "subtract", "{'minuend':42,'subtrahend':23}"),
              call(3, "sum", "{'params':[1,2,4]}"),
              call(4, "subtract", "{'minuend':42}")),
          demo.endpoint().toString(),
          "--method",
          "subtract(minuend, subtrahend)",
          "--method",
          "sum(params...)"));
      assertThat(text(answer(answers, 2))).isEqualTo("19");
      assertThat(text(answer(answers, 3))).isEqualTo("7");
      assertThat(text(answer(answers, 4))).contains("subtrahend");
      Outcome unreadable = run(List.of(), demo.endpoint().toString(), "--method", "sum(a..., b)");
      assertThat(unreadable.exit()).isEqualTo(2);
      assertThat(unreadable.err()).contains("'sum(a..., b)' is not a signature").hasLineCount(1);
    }
  }

  @Test
  void outputOfTheClassDoesNotMixWithTheMessages(@TempDir Path folder) throws Exception {
    Path source = folder.resolve("Loud.java");
    Files.writeString(
        source,
        "public class Loud { public Loud() { System.out.println(1); }"
            + " public String say(String what) { System.out.println(what); return what; } }");
    int compiled = javax.tools.ToolProvider.getSystemJavaCompiler()
        .run(null, null, null, "-parameters", "-d", folder.toString(), source.toString());
    assertThat(compiled).isZero();
    Outcome outcome = run(
        List.of(INITIALIZE, INITIALIZED, call(2, "say", "{'what':'hi'}")),
        "--class",
        "Loud",
        "--classpath",
        folder.toString());
    assertThat(text(answer(answers(outcome), 2))).isEqualTo("hi");
    assertThat(outcome.err()).contains("1\n", "hi\n");
  }

  @Test
  void anUnreachableServiceExitsWithThree() throws Exception {
    Outcome outcome = run(List.of(), "unix:./nobody.sock");
    assertThat(outcome.exit()).isEqualTo(3);
    assertThat(outcome.err()).startsWith("repartee: cannot connect to unix:").hasLineCount(1);
  }

  @Test
  void standardInputCannotBeTheService() throws Exception {
    Outcome outcome = run(List.of(), "stdio:");
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err()).contains("exec:COMMAND").hasLineCount(1);
  }

  @Test
  void aServiceThatDoesNotAnswerExitsWithFour() throws Exception {
    try (Answering silent = new Answering("tcp://127.0.0.1:0")) {
      Outcome outcome = run(List.of(), silent.uri(), "--timeout", "200ms");
      assertThat(outcome.exit()).isEqualTo(4);
      assertThat(outcome.err())
          .contains("no answer to 'rpc.discover'", "--timeout")
          .hasLineCount(1);
    }
  }

  @Test
  void aServiceWithAnInvalidDocumentExitsWithFive() throws Exception {
    try (Answering odd = new Answering("tcp://127.0.0.1:0", """
        {"jsonrpc":"2.0","result":["add"],"id":1}""")) {
      Outcome outcome = run(List.of(), odd.uri());
      assertThat(outcome.exit()).isEqualTo(5);
      assertThat(outcome.err()).contains("not an OpenRPC document").hasLineCount(1);
    }
  }
}

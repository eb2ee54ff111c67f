package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.repartee.Handler;
import dev.repartee.Options;
import dev.repartee.Param;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.Child.Outcome;
import dev.repartee.json.Json;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.mock.MockService;
import dev.repartee.trace.Trace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code repartee list}, {@code describe} and {@code openrpc} in this process. */
class OpenRpcCommandsTest {
  private static final String SHOP = """
          {"openrpc":"1.3.2","info":{"title":"Shop","version":"1"},
           "servers":[{"url":"http://127.0.0.1:8000/"}],
           "methods":[
            {"name":"order.place","summary":"Places an order.","description":"It may wait.",
             "params":[{"name":"item","required":true,"description":"The thing.",
                        "schema":{"$ref":"#/components/schemas/Item"}},
                       {"name":"count","schema":{"type":"integer"}}],
             "result":{"name":"number","schema":{"type":"integer"}},
             "errors":[{"code":7,"message":"Sold out"}]},
            {"name":"order.find","paramStructure":"by-name","deprecated":true,
             "params":[{"name":"text","required":true,"schema":{"type":["string","null"]}}],
             "result":{"name":"all","schema":{"type":"array","items":{"type":"string"}}},
             "examples":[{"name":"tea","params":[{"name":"text","value":"it's tea"}],
                          "result":{"name":"all","value":[]}}]},
            {"name":"ping","params":[{"name":"kind","schema":{"enum":["a","b"]}}]}],
           "components":{"schemas":{"Item":{"type":"object","required":["name"],
             "properties":{"name":{"type":"string"},"size":{"type":"integer"}}}}}}""";

  @TempDir
  Path folder;

  private String file(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.writeString(file, text);
    return file.toString();
  }

  private static Outcome run(String... words) {
    return Captured.run("", words);
  }

  public static final class Calculator {
    /** Adds. */
    @Rpc(description = "Adds two numbers. Exactly.")
    public int add(@Param("a") int a, @Param("b") int b) {
      return a + b;
    }
  }

  @Test
  void aServerIsListedByItsDocument() throws Exception {
    try (Server server = Repartee.listen("mem:list", Service.of(new Calculator()))) {
      String uri = server.endpoint().toString();
      assertThat(run("list", uri, "add").out())
          .isEqualTo("add(a: integer, b: integer) -> integer  Adds two numbers.\n");
      assertThat(run("describe", uri, "add").out())
          .contains("Adds two numbers. Exactly.")
          .containsPattern("repartee call mem:list add \\d{1,4} \\d{1,4}\n");
      assertThat(Json.parse(run("openrpc", uri).out()).string("openrpc")).startsWith("1.");
    }
  }

  /** The notifications of the calculator. */
  public interface Events {
    @Rpc(notification = true, description = "The memory has another value.")
    void stored(@Param("value") int value);
  }

  @Test
  void theNotificationsThatAServerSendsAreListedAndDescribed() throws Exception {
    Service service = Service.of(new Calculator()).sends(Events.class);
    try (Server server = Repartee.listen("mem:sends", service)) {
      String uri = server.endpoint().toString();
      assertThat(run("list", uri, "store").out())
          .isEqualTo("<- stored(value: integer)  The memory has another value.\n");
      assertThat(run("describe", uri, "stored").out()).isEqualTo("""
          <- stored(value: integer)

          The memory has another value.

          Parameters
            value  integer  required

          Result
            none: it is a notification that the server sends

          Schema of value
          {
            "type": "integer",
            "minimum": -2147483648,
            "maximum": 2147483647
          }
          """);
      assertThat(run("describe", uri, "store").err()).contains("stored");
    }
  }

  @Test
  void aFileIsListedWithTypesAndSummaries() throws Exception {
    Outcome outcome = run("list", file("shop.json", SHOP));
    assertThat(outcome.exit()).isZero();
    assertThat(outcome.out().lines().map(line -> line.replaceAll(" {2,}", "  ")))
        .containsExactly(
            "order.place(item: Item, count?: integer) -> integer  Places an order.",
            "order.find({text: string | null}) -> string[]  (deprecated)",
            "ping(kind?: \"a\" | \"b\")");
  }

  @ParameterizedTest
  @CsvSource({"ORDER,2", "order.f*,1", "*.place,1", "pin?,1", "find,1", "pin,1", "*,3"})
  void aPatternSelectsMethods(String pattern, int lines) throws Exception {
    assertThat(run("list", file("shop.json", SHOP), pattern).out()).hasLineCount(lines);
  }

  @Test
  void aPatternWithoutAMatchIsReported() throws Exception {
    Outcome outcome = run("list", file("shop.json", SHOP), "order.f");
    assertThat(outcome.out()).hasLineCount(1);
    outcome = run("list", file("shop.json", SHOP), "fin?");
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).isEqualTo("repartee: no method matches 'fin?'\n");
  }

  @Test
  void standardInputIsAFile() {
    assertThat(Captured.run(SHOP, "list", "-", "ping").out()).startsWith("ping(");
  }

  @Test
  void aMethodIsDescribedWithItsSchemasAndAnExample() throws Exception {
    assertThat(run("describe", file("shop.json", SHOP), "order.place").out()).isEqualTo("""
        order.place(item: Item, count?: integer) -> integer

        Places an order.

        It may wait.

        Parameters
          item   Item     required  The thing.
          count  integer  optional

        Result
          integer

        Errors
          7  Sold out

        Schema of item
        {
          "type": "object",
          "required": [
            "name"
          ],
          "properties": {
            "name": {
              "type": "string"
            },
            "size": {
              "type": "integer"
            }
          }
        }

        Example
          repartee call http://127.0.0.1:8000/ order.place '{"name":"olive","size":248}'
        """);
  }

  @Test
  void theExampleOfTheDocumentIsShown() throws Exception {
    assertThat(run("describe", file("shop.json", SHOP), "order.find").out())
        .contains("Deprecated.")
        .endsWith("Example\n  repartee call http://127.0.0.1:8000/ order.find --named"
            + " 'text=it'\\''s tea'\n");
    assertThat(run("describe", file("shop.json", SHOP), "ping").out())
        .contains("none: it is a notification", "repartee notify http://127.0.0.1:8000/ ping\n");
  }

  @Test
  void anUnknownMethodSuggestsTheNearest() throws Exception {
    Outcome outcome = run("describe", file("shop.json", SHOP), "order.plaec");
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err())
        .isEqualTo("repartee: there is no method 'order.plaec'; did you mean 'order.place'?\n");
    assertThat(run("describe", file("shop.json", SHOP), "xyz").err())
        .isEqualTo("repartee: there is no method 'xyz'; 'repartee list' shows all\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{|: it is not JSON: ",
        "{}|: it is not an OpenRPC document: the member 'openrpc' is missing",
        "{'openrpc':'1.3.0','methods':[{'name':'a'},{'name':'a'}]}"
            + "|: /methods/1: a second method with the name 'a'; the first is at /methods/0",
        "{'openrpc':'1.3.0','methods':[{'$ref':'#/x'}]}"
            + "|: /methods/0: the reference '#/x' has no target",
      })
  void aBadDocumentIsOneSentence(String text, String sentence) throws Exception {
    String file = file("bad.json", text.replace('\'', '"'));
    for (String[] words : List.of(
        new String[] {"list", file},
        new String[] {"describe", file, "a"},
        new String[] {"openrpc", file},
        new String[] {"openrpc", "diff", file, file},
        new String[] {"serve", "--validate", file, "--listen", "mem:bad"})) {
      Outcome outcome = run(words);
      assertThat(outcome.exit()).isEqualTo(2);
      assertThat(outcome.err()).startsWith("repartee: " + file + sentence).hasLineCount(1);
      assertThat(outcome.out()).isEmpty();
    }
  }

  @Test
  void aMissingFileIsReported() {
    Outcome outcome = run("list", "none.json");
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err()).isEqualTo("repartee: there is no file 'none.json'\n");
  }

  @Test
  void aServerWithoutDiscoveryAndHandshakeIsReported() throws Exception {
    Options options = Options.builder().builtins().build();
    Service service = Service.builder().method("a", call -> 1).build();
    try (Server server = Repartee.listen("mem:silent", service, options)) {
      Outcome outcome = run("list", server.endpoint().toString());
      assertThat(outcome.exit()).isEqualTo(2);
      assertThat(outcome.err())
          .startsWith("repartee: mem:silent does not describe its methods (rpc.discover: ")
          .hasLineCount(1);
    }
  }

  /** Answers {@code initialize} and {@code tools/list}. */
  @Test
  void toolsAreListedAsMethods() throws Exception {
    Service service = tools(call -> Json.parse(call.params().get("cursor") == null ? """
                {"nextCursor":"2","tools":[{"name":"tree","description":"Grows a tree.",
                 "inputSchema":{"type":"object","required":["root"],"properties":{
                   "root":{"$ref":"#/$defs/Node"},"depth":{"type":"integer"}},
                   "$defs":{"Node":{"type":"object","properties":{
                     "next":{"$ref":"#/$defs/Node"}}}}}}]}""" : """
                {"tools":[{"name":"other","inputSchema":{"type":"object"}}]}\
                """));
    Options options = Options.builder().builtins().build();
    try (Server server = Repartee.listen("mem:tools", service, options)) {
      String uri = server.endpoint().toString();
      assertThat(run("list", uri).out().lines().map(line -> line.replaceAll(" {2,}", "  ")))
          .containsExactly(
              "tree({root: Node, depth?: integer}) -> any  Grows a tree.", "other() -> any");
      assertThat(run("describe", uri, "tree").out())
          .endsWith("repartee mcp call mem:tools tree 'root={}'\n");
      assertThat(Json.parse(run("openrpc", uri).out()).get("info").string("title"))
          .isEqualTo("tools");
    }
  }

  @Test
  void aToolWithAnyNameMayHaveReferences() throws Exception {
    Service service = tools(call -> Json.parse("""
        {"tools":[{"name":"files/50%","inputSchema":{"type":"object","properties":{
          "path":{"$ref":"#/$defs/Path"}},"$defs":{"Path":{"type":"string"}}}}]}"""));
    Options options = Options.builder().builtins().build();
    try (Server server = Repartee.listen("mem:names", service, options)) {
      assertThat(run("list", server.endpoint().toString()).out())
          .isEqualTo("files/50%({path?: Path}) -> any\n");
    }
  }

  @Test
  void aListOfToolsIsLimited() throws Exception {
    String text = "x".repeat(12 << 20);
    Service service = tools(call -> Json.parse("""
        {"nextCursor":"more","tools":[{"name":"a","inputSchema":{},"description":"%s"}]}\
        """.formatted(text)));
    Options options = Options.builder().builtins().build();
    try (Server server = Repartee.listen("mem:large", service, options)) {
      Outcome outcome = run("list", server.endpoint().toString());
      assertThat(outcome.exit()).isEqualTo(2);
      assertThat(outcome.err())
          .isEqualTo("repartee: the list of the server's tools is larger than 64 MiB\n");
    }
  }

  private static Service tools(Handler list) {
    return Service.builder()
        .method("initialize", call -> Json.parse("""
                {"protocolVersion":"2025-11-25","capabilities":{"tools":{}},
                 "serverInfo":{"name":"tools","version":"3"}}"""))
        .method("notifications/initialized", call -> null)
        .method("tools/list", list)
        .build();
  }

  @Test
  void aLanguageServerIsListedByItsCapabilities() throws Exception {
    Service service = Service.builder()
        .method("initialize", call -> Json.parse("""
                {"capabilities":{"hoverProvider":true,"renameProvider":{},"codeLensProvider":false}}"""))
        .method("shutdown", call -> null)
        .method("exit", call -> null)
        .build();
    Options options = Options.builder().builtins().build();
    try (Server server = Repartee.listen("mem:language", service, options)) {
      assertThat(run("list", server.endpoint().toString())
              .out()
              .lines()
              .map(line -> line.replaceAll(" {2,}", "  ")))
          .containsExactly(
              "textDocument/hover({textDocument: object, position: object}) -> any  Information"
                  + " about the symbol at a position",
              "textDocument/rename({textDocument: object, position: object, newName: string}) ->"
                  + " any  Renaming of a symbol");
    }
  }

  @Test
  void theSkillsOfAnAgentAreListed() throws Exception {
    HttpServer web = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    String there = "http://127.0.0.1:" + web.getAddress().getPort() + "/";
    answer(web, "/.well-known/agent-card.json", """
        {"name":"poet","description":"Writes.","version":"1",
         "supportedInterfaces":[{"url":"%s","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
         "capabilities":{},"defaultInputModes":["text"],"defaultOutputModes":["text"],
         "skills":[{"id":"poem","name":"Poems","description":"Writes a poem.","tags":["fun"]}]}""".formatted(there));
    web.start();
    try {
      assertThat(run("list", there).out()).isEqualTo("poem(message: string) -> any  Poems\n");
      assertThat(run("describe", there, "poem").out())
          .contains("repartee call " + there + " SendMessage --params '{\"message\":");
    } finally {
      web.stop(0);
    }
  }

  private static void answer(HttpServer web, String path, String text) {
    web.createContext(path, exchange -> {
      byte[] bytes = text.getBytes(UTF_8);
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
      exchange.close();
    });
  }

  private static void redirect(HttpServer web, String path, String location) {
    web.createContext(path, exchange -> {
      exchange.getResponseHeaders().set("Location", location);
      exchange.sendResponseHeaders(302, -1);
      exchange.close();
    });
  }

  @Test
  void documentsAreCompared() throws Exception {
    String old = file("old.json", SHOP);
    String now = file("now.json", SHOP.replace("\"ping\"", "\"pong\""));
    Outcome outcome = run("openrpc", "diff", old, now);
    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(outcome.out()).isEqualTo("""
        - ping: the method is removed (breaks callers)
        + pong: the method is added
        """);
    assertThat(outcome.err()).isEqualTo("2 changes, 1 breaks callers\n");
    outcome = run("openrpc", "diff", old, old);
    assertThat(outcome.exit()).isZero();
    assertThat(outcome.out()).isEmpty();
    assertThat(run("openrpc", "diff", old).exit()).isEqualTo(2);
    assertThat(run("openrpc", old, now).exit()).isEqualTo(2);
  }

  private static final String SUM = """
      {"openrpc":"1.3.2","info":{"title":"t","version":"1"},"methods":[
        {"name":"sum","params":[{"name":"values","x-variadic":true,
           "schema":{"type":"array","items":{"type":"integer"}}}],
         "result":{"name":"r","schema":{"type":"string"}}}]}""";

  private static final String REFUSED = "{\"code\":-32602,\"message\":\"Invalid params\",\"data\":"
      + "[{\"pointer\":\"/1\",\"reason\":\"Value is [string] but should be [integer]\"}]}\n";

  @Test
  void aServerAndABridgeCheckCallsAgainstADocument() throws Exception {
    String file = file("sum.json", SUM);
    try (Child server = Child.start("serve", "--validate", file, "--listen", "tcp://127.0.0.1:0")) {
      String uri = server.listening();
      assertThat(run("call", uri, "sum", "1", "x").err()).isEqualTo(REFUSED);
      assertThat(run("call", uri, "sum", "1", "2").out()).isEqualTo("3\n");
      assertThat(server.errLine()).contains("the result of 'sum' does not fit its schema");
    }
    try (Child server = Child.start("serve", "--listen", "tcp://127.0.0.1:0");
        Child bridge = Child.start(
            "bridge",
            "--validate",
            file,
            "--refuse-results",
            "--listen",
            "tcp://127.0.0.1:0",
            "--to",
            server.listening())) {
      String uri = bridge.listening();
      assertThat(run("call", uri, "sum", "1", "x").err()).isEqualTo(REFUSED);
      assertThat(run("call", uri, "sum", "1", "2").err()).contains("-32603");
      assertThat(run("call", uri, "add", "1", "2").out()).isEqualTo("3\n");
    }
  }

  @Test
  void refusingResultsNeedsADocument() {
    Outcome outcome = run("serve", "--refuse-results", "--listen", "mem:refusing");
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err())
        .isEqualTo("repartee: --refuse-results needs a document: --validate FILE\n");
  }

  @Test
  void referencesToOtherFilesAreFollowedWithAFolder() throws Exception {
    String api = file("api.json", SHOP.replace("#/components/schemas/Item", "types.json#/Thing"));
    file("types.json", "{\"Thing\":{\"type\":\"string\"}}");
    Outcome outcome = run("list", api, "place");
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err())
        .contains("/methods/0/params/0/schema: the reference 'types.json#/Thing' leads to another")
        .hasLineCount(1);
    assertThat(run("list", api, "place", "--refs", folder.toString()).out())
        .startsWith("order.place(item: Thing, ");
    outcome = run("list", api, "place", "--allow-remote");
    assertThat(outcome.err()).contains("it leads to a file; name its folder with --refs");
  }

  @Test
  void referencesToOtherMachinesAreFollowedByOption() throws Exception {
    HttpServer web = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    answer(web, "/types.json", "{\"Thing\":{\"type\":\"string\"}}");
    redirect(web, "/moved.json", "types.json");
    redirect(web, "/loop.json", "/loop.json");
    web.start();
    try {
      String there = "http://127.0.0.1:" + web.getAddress().getPort();
      String api =
          file("far.json", SHOP.replace("#/components/schemas/Item", there + "/types.json#/Thing"));
      assertThat(run("list", api, "place").exit()).isEqualTo(2);
      assertThat(run("list", api, "place", "--refs", folder.toString()).err())
          .contains("it leads to another machine; see --allow-remote");
      assertThat(run("list", api, "place", "--allow-remote").out())
          .startsWith("order.place(item: Thing, ");
      String none = file("none.json", Files.readString(Path.of(api)).replace("types", "none"));
      assertThat(run("list", none, "--allow-remote").err()).contains("the HTTP status is 404");
      String moved = file("moved.json", Files.readString(Path.of(api)).replace("types", "moved"));
      assertThat(run("list", moved, "place", "--allow-remote").out())
          .startsWith("order.place(item: Thing, ");
      String loop = file("loop.json", Files.readString(Path.of(api)).replace("types", "loop"));
      assertThat(run("list", loop, "--allow-remote").err()).contains("the HTTP status is 302");
    } finally {
      web.stop(0);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "http:///types.json, it leads to an address that is not valid",
    "http:types.json, it leads to an address that is not valid",
    "http://127.0.0.1:99999/, it leads to an address that is not valid",
    "REDIRECTION, it leads to an address that is not valid",
    "HTTP://127.0.0.1:1/types.json, cannot connect to 127.0.0.1:1"
  })
  void anAddressThatCannotBeUsedIsReported(String address, String fault) throws Exception {
    HttpServer web = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    redirect(web, "/", "http://127.0.0.1:99999/");
    web.start();
    try {
      String there = "http://127.0.0.1:" + web.getAddress().getPort() + "/";
      String reference = address.replace("REDIRECTION", there);
      String api = file("far.json", SHOP.replace("#/components/schemas/Item", reference));
      Outcome outcome = run("list", api, "--allow-remote");
      assertThat(outcome.exit()).isEqualTo(2);
      assertThat(outcome.err())
          .endsWith("the reference '" + reference + "' cannot be read: " + fault + "\n")
          .hasLineCount(1);
    } finally {
      web.stop(0);
    }
  }

  @Test
  void noMessageAboutADocumentHasSecretsOfItsUri() throws Exception {
    String odd = SHOP.replace("{\"enum\":[\"a\",\"b\"]}", "{\"type\":\"odd\"}");
    OpenRpc document = OpenRpc.of(Json.parse(odd));
    Options options = Options.builder().layer(MockService.discovery(document)).build();
    try (Server server = Repartee.listen("http://127.0.0.1:0/", Service.NONE, options)) {
      String uri = server.endpoint() + "?key=secret";
      for (String form : List.of("java", "typescript", "python", "markdown", "html")) {
        Outcome outcome = run("generate", form, uri, "--output", folder.toString());
        assertThat(outcome.exit()).isEqualTo(2);
        assertThat(outcome.err()).contains("there is no type 'odd'").doesNotContain("secret");
      }
    }
  }

  /** The server sends the head of the answer, and never the rest. */
  @Test
  void aStalledDocumentOfAnotherMachineIsGivenUp() throws Exception {
    HttpServer web = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    CountDownLatch end = new CountDownLatch(1);
    web.createContext("/", exchange -> {
      exchange.sendResponseHeaders(200, 100);
      exchange.getResponseBody().write('{');
      exchange.getResponseBody().flush();
      try {
        end.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
    web.start();
    try {
      String api = file(
          "far.json",
          SHOP.replace(
              "#/components/schemas/Item",
              "http://127.0.0.1:" + web.getAddress().getPort() + "/types.json#/Thing"));
      Outcome outcome = run("list", api, "--allow-remote", "--timeout", "500ms");
      assertThat(outcome.exit()).isEqualTo(2);
      assertThat(outcome.err())
          .contains("the documents take longer than 500 ms")
          .hasLineCount(1);
    } finally {
      end.countDown();
      web.stop(0);
    }
  }

  @Test
  void aDocumentIsInferredFromARecording() throws Exception {
    Path recording = folder.resolve("calls.jsonl");
    Service service = Service.builder().method("a", call -> 1).build();
    try (Trace trace = Trace.builder().file(recording)) {
      Options options = Options.builder().trace(trace).build();
      try (Server server = Repartee.listen("mem:recorded", service, options);
          Peer peer = Repartee.connect(server.endpoint().toString())) {
        peer.call("a", int.class, "x");
      }
    }
    Outcome outcome = run("openrpc", "--from", recording.toString());
    assertThat(outcome.exit()).isZero();
    assertThat(Captured.run(outcome.out(), "list", "-").out())
        .isEqualTo("a(arg0: string) -> integer\n");
    for (String[] words : List.of(
        new String[] {"openrpc"},
        new String[] {"openrpc", "--from", "none.jsonl"},
        new String[] {"openrpc", "--from", file("text.jsonl", "text")},
        new String[] {"openrpc", "x", "--from", recording.toString()})) {
      outcome = run(words);
      assertThat(outcome.exit()).isEqualTo(2);
      assertThat(outcome.err()).startsWith("repartee: ").hasLineCount(1);
    }
  }
}

package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Param;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.Child.Outcome;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.McpTool;
import dev.repartee.mcp.Prompt;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.ResourceContents;
import dev.repartee.mcp.types.ResourceTemplate;
import dev.repartee.mcp.types.ToolResult;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of {@code repartee mcp} that are clients, against a server of this library. */
@SuppressWarnings("deprecation") // deprecated by the specification, but still supported
class McpClientCommandsTest {
  private static final String URI = "mem:mcp-client-commands";
  private static final byte[] PIXELS = {(byte) 0x89, 'P', 'N', 'G', 0, 1, 2};

  private static McpServer mcp;
  private static Server server;

  @TempDir
  Path folder;

  record Sum(int sum) {}

  /** Methods that are tools. */
  public static final class Arithmetic {
    @McpTool(value = "Adds two numbers", readOnly = true, openWorld = false)
    public Sum add(
        @Param(value = "a", description = "The one") int a,
        @Param(value = "b", description = "The other") int b) {
      return new Sum(a + b);
    }
  }

  private static Tool tool(String name, Tool.Handler handler) {
    return Tool.named(name).description("Does\n" + name).handle(handler);
  }

  @BeforeAll
  static void serve() throws Exception {
    mcp = McpServer.builder("shop", "1.0")
        .tools(new Arithmetic())
        .tool(tool("echo", (call, arguments) -> String.valueOf(arguments)))
        .tool(tool(
            "photo",
            (call, arguments) ->
                ToolResult.of(Content.image(PIXELS, "image/png"), Content.text("taken"))))
        .tool(tool("fail", (call, arguments) -> ToolResult.error("Sold out.\nCome back.")))
        .tool(tool("work", (call, arguments) -> {
          call.progress(1, 2.0, "half");
          call.log(LogLevel.WARNING, "shop", "Low on tea");
          call.log(LogLevel.DEBUG, "shop", "Unimportant");
          call.progress(2.5, null, null);
          return "done";
        }))
        .tool(tool("hang", (call, arguments) -> {
          call.cancellation().sleep(java.time.Duration.ofMinutes(5));
          return "late";
        }))
        .tool(Tool.named("index")
            .description("Does index")
            .tasks(Tool.TaskSupport.REQUIRED)
            .handle((call, arguments) -> "indexed"))
        .tool(tool("order", (call, arguments) -> {
          Elicitation.Answer answer =
              call.elicit("order", Elicitation.form("Your order?", Json.parse("""
              {"type":"object","required":["name","cups"],"properties":{
                "name":{"type":"string","title":"Your name","description":"For the label"},
                "cups":{"type":"integer","minimum":1,"maximum":9},
                "tea":{"type":"string","enum":["g","b"],"enumNames":["green","black"],"default":"g"},
                "milk":{"type":"boolean"}}}""")));
          return answer.action() + " " + answer.content();
        }))
        .tool(tool(
            "sign",
            (call, arguments) -> call.elicit(
                    "sign", Elicitation.url("Sign in", "https://example.com/in", "1"))
                .action()))
        .prompt(Prompt.named("review")
            .description("Reviews code")
            .required("code", "The code")
            .optional("language", "Its language")
            .completedBy((value, chosen) -> Stream.of("java", "javascript", "rust")
                .filter(language -> language.startsWith(value))
                .toList())
            .handle((call, arguments) -> "Review " + arguments.get("code")))
        .resource(
            Resource.of("shop://menu", "menu", "All teas", "text/plain"), call -> "Tea\nMore tea")
        .resource(
            Resource.of("shop://logo", "logo", "The logo", "image/png"),
            call -> ResourceContents.blob("shop://logo", "image/png", PIXELS))
        .template(
            ResourceTemplate.of("shop://tea/{name}", "tea", "One tea", "text/plain"),
            (call, uri, variables) -> "Tea: " + variables.get("name"))
        .build();
    server = mcp.listen(URI);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static Outcome run(String command, String... more) {
    return input("", command, more);
  }

  private static Outcome input(String in, String command, String... more) {
    return Captured.run(in, words(command, URI, more));
  }

  private static String[] words(String command, String uri, String... more) {
    return Stream.concat(Stream.of("mcp", command, uri), Stream.of(more)).toArray(String[]::new);
  }

  /** Runs a command at a terminal with these typed lines. */
  private static Outcome typing(String lines, String command, String... more) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Stdio stdio = new Stdio(
        new TypedInput("", lines.lines().toArray(String[]::new)),
        out,
        new PrintStream(err, true, UTF_8),
        false,
        true,
        true);
    int exit = Main.run(stdio, words(command, URI, more));
    return new Outcome(exit, out.toString(UTF_8), err.toString(UTF_8));
  }

  // ---------------------------------------------------------------- tools

  @Test
  void toolsAreListedWithTheirDescriptionsOnALineEach() {
    Outcome outcome = run("tools");
    assertThat(outcome.exit()).as(outcome.err()).isZero();
    assertThat(outcome.out())
        .startsWith("add    Adds two numbers\necho   Does echo\n")
        .hasLineCount(9);
  }

  @Test
  void toolsAreListedAsTheServerSentThem() {
    Json tools = Json.parse(run("tools", "--json").out());
    assertThat(tools.get("tools").elements()).hasSize(9);
    assertThat(tools.get("tools").at(0).get("inputSchema").get("type"))
        .isEqualTo(Json.of("object"));
  }

  @Test
  void aToolIsDescribedWithItsArgumentsAndResult() {
    assertThat(run("tools", "add")).isEqualTo(new Outcome(0, """
        add

        Adds two numbers

        The server says that this tool changes nothing, reaches no other systems

        Arguments:
          a: integer from -2147483648 to 2147483647, required
              The one
          b: integer from -2147483648 to 2147483647, required
              The other

        Result:
          sum: integer from -2147483648 to 2147483647, required
        """, ""));
    Outcome unknown = run("tools", "subtract");
    assertThat(unknown.exit()).isEqualTo(2);
    assertThat(unknown.err()).startsWith("repartee: the server has no tool 'subtract'; it has add");
  }

  // ---------------------------------------------------------------- call

  @Test
  void structuredContentIsPrintedInsteadOfTheSameText() {
    assertThat(run("call", "add", "a=2", "b=3"))
        .isEqualTo(new Outcome(0, "{\n  \"sum\": 5\n}\n", ""));
  }

  @Test
  void argumentsAreGivenByNameOrAsOneObject() throws Exception {
    assertThat(
            run("call", "echo", "n=-5", "text=a=b", "list=[1, 2]", "five=\"5\"").out())
        .isEqualTo("""
            {"n":-5,"text":"a=b","list":[1, 2],"five":"5"}
            """);
    assertThat(run("call", "echo", "--args", "{\"a\":1}").out()).isEqualTo("{\"a\":1}\n");
    assertThat(input("{\"a\":2}", "call", "echo", "--args", "-").out()).isEqualTo("{\"a\":2}\n");
    Path file = Files.writeString(folder.resolve("args.json"), "{\"a\":3}");
    assertThat(run("call", "echo", "--args", "@" + file).out()).isEqualTo("{\"a\":3}\n");
  }

  @Test
  void invalidArgumentsAreTwoAndNameTheRemedy() {
    for (List<String> words : List.of(
        List.of("echo", "5"),
        List.of("echo", "a=1", "a=2"),
        List.of("echo", "a=1", "--args", "{}"),
        List.of("echo", "--args", "[1]"),
        List.of("echo", "--args", "{"),
        List.of("echo", "--tiemout", "5"))) {
      Outcome outcome = run("call", words.toArray(String[]::new));
      assertThat(outcome.exit()).as(words + ": " + outcome).isEqualTo(2);
      assertThat(outcome.err()).startsWith("repartee: ").hasLineCount(1);
    }
  }

  @Test
  void theTextOfAFailedToolIsOnStandardErrorAndTheExitCodeIsOne() {
    assertThat(run("call", "fail")).isEqualTo(new Outcome(1, "", "Sold out.\nCome back.\n"));
    Outcome asJson = run("call", "fail", "--json");
    assertThat(asJson.exit()).isEqualTo(1);
    assertThat(Json.parse(asJson.out()).get("isError")).isEqualTo(Json.TRUE);
  }

  @Test
  void anErrorResponseIsOneWithTheErrorObjectOnStandardError() {
    Outcome outcome = run("call", "nothing");
    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).startsWith("{\"code\":-32602,").hasLineCount(1);
  }

  @Test
  void anImageIsDescribedInALineOrSaved() throws Exception {
    assertThat(run("call", "photo").out())
        .isEqualTo("[image: image/png, 7 bytes; --output DIR saves it]\ntaken\n");
    Path pictures = folder.resolve("pictures");
    run("call", "photo", "--output", pictures.toString());
    Outcome second = run("call", "photo", "--output", pictures.toString());
    assertThat(second.out())
        .isEqualTo("[image: image/png, 7 bytes, saved as " + pictures.resolve("image-2.png")
            + "]\ntaken\n");
    assertThat(pictures.resolve("image-1.png")).hasBinaryContent(PIXELS);
    assertThat(pictures.resolve("image-2.png")).hasBinaryContent(PIXELS);
  }

  @Test
  void progressAndLogMessagesAreOnStandardError() {
    Outcome quiet = run("call", "work");
    assertThat(quiet).isEqualTo(new Outcome(0, "done\n", "progress: 1 of 2 half\nprogress: 2.5\n"));
    Outcome logged = run("call", "work", "--log-level", "warning");
    assertThat(logged.err())
        .isEqualTo("progress: 1 of 2 half\nwarning: [shop] Low on tea\nprogress: 2.5\n");
  }

  @Test
  void aCallThatTakesTooLongIsFour() {
    Outcome outcome = run("call", "hang", "--timeout", "300ms");
    assertThat(outcome.exit()).isEqualTo(4);
    assertThat(outcome.err())
        .isEqualTo(
            "repartee: no answer from " + URI + " within 300 ms; raise the limit with --timeout\n");
  }

  @Test
  void aToolThatRequiresATaskIsCalledLikeAnother() {
    assertThat(run("call", "index")).isEqualTo(new Outcome(0, "indexed\n", ""));
  }

  // ---------------------------------------------------------------- forms

  @Test
  void aFormIsAskedAtTheTerminalUntilEachAnswerFits() {
    Outcome outcome = typing("yes\n\nAnn\nmany\n10\n2\nred\n2\nmaybe\ny\n", "call", "order");
    assertThat(outcome.out())
        .isEqualTo("accept {\"name\":\"Ann\",\"cups\":2,\"tea\":\"b\",\"milk\":true}\n");
    assertThat(outcome.err())
        .contains(
            "The server asks: Your order?",
            "For the label",
            "Your name (text):",
            "a value is required",
            "cups (integer):",
            "'many' is not an integer",
            "the number has to be at most 9",
            "1) green\n2) black\n",
            "tea (number or name, optional) [green]:",
            "'red' is not a choice",
            "milk (yes or no, optional):",
            "type yes or no");
  }

  @Test
  void anEmptyLineTakesTheDefaultOrLeavesTheFieldOut() {
    assertThat(typing("yes\nAnn\n1\n\n\n", "call", "order").out())
        .isEqualTo("accept {\"name\":\"Ann\",\"cups\":1,\"tea\":\"g\"}\n");
  }

  @Test
  void aFormCanBeDeclinedAndCancelled() {
    assertThat(typing("no\n", "call", "order").out()).isEqualTo("decline null\n");
    assertThat(typing("cancel\n", "call", "order").out()).isEqualTo("cancel null\n");
    assertThat(typing("yes\nAnn\n", "call", "order").out()).isEqualTo("cancel null\n"); // Ctrl-D
  }

  @Test
  void aPageIsShownAndNotOpened() {
    Outcome outcome = typing("y\n", "call", "sign");
    assertThat(outcome.out()).isEqualTo("accept\n");
    assertThat(outcome.err()).contains("https://example.com/in");
  }

  @Test
  void withoutATerminalAFormIsDeclinedWithAHint() {
    Outcome outcome = input("yes\nAnn\n", "call", "order");
    assertThat(outcome.out()).isEqualTo("decline null\n");
    assertThat(outcome.err())
        .contains("the server asks 'Your order?'", "run it in a terminal")
        .hasLineCount(1);
  }

  // ---------------------------------------------------------------- resources and prompts

  @Test
  void aServerThatDoesNotKnowAListHasNoEntries() throws Exception {
    Service handshake =
        Service.builder().method("initialize", call -> Json.parse("""
            {"protocolVersion":"2025-11-25","capabilities":{},\
            "serverInfo":{"name":"bare","version":"1"}}""")).build();
    try (Server bare = Repartee.listen("mem:mcp-client-commands-bare", handshake)) {
      String uri = bare.endpoint().toString();
      for (String list : List.of("tools", "resources", "prompts")) {
        assertThat(Captured.run("", words(list, uri)))
            .isEqualTo(new Outcome(0, "", "no " + list + "\n"));
      }
    }
  }

  @Test
  void resourcesAndTemplatesAreListed() {
    assertThat(run("resources").out()).isEqualTo("""
        shop://menu        text/plain  menu: All teas
        shop://logo        image/png   logo: The logo
        shop://tea/{name}  text/plain  tea: One tea
        """);
    Json all = Json.parse(run("resources", "--json").out());
    assertThat(all.get("resources").elements()).hasSize(2);
    assertThat(all.get("resourceTemplates").at(0).get("uriTemplate"))
        .isEqualTo(Json.of("shop://tea/{name}"));
  }

  @Test
  void aResourceIsReadByteForByte() {
    assertThat(run("read", "shop://menu")).isEqualTo(new Outcome(0, "Tea\nMore tea", ""));
    assertThat(run("read", "shop://tea/mint").out()).isEqualTo("Tea: mint");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream err = new PrintStream(OutputStream.nullOutputStream());
    Stdio stdio = new Stdio(new ByteArrayInputStream(new byte[0]), out, err, false, false);
    assertThat(Main.run(stdio, words("read", URI, "shop://logo"))).isZero();
    assertThat(out.toByteArray()).isEqualTo(PIXELS);
    assertThat(run("read", "shop://nothing").exit()).isEqualTo(1);
    assertThat(run("read", "shop://logo", "--json").out()).contains("\"blob\":\"iVBORwABAg==\"");
  }

  @Test
  void aTerminalGetsALineInPlaceOfBytes() {
    Captured captured = new Captured("");
    assertThat(Main.run(captured.stdio(true), words("read", URI, "shop://logo")))
        .isZero();
    assertThat(captured.out()).isEmpty();
    assertThat(captured.err()).contains("7 bytes of image/png");
  }

  @Test
  void promptsAreListedAndFilledIn() {
    assertThat(run("prompts").out()).isEqualTo("review  code language?  Reviews code\n");
    assertThat(run("get", "review", "code=5").out()).isEqualTo("user:\nReview 5\n");
    assertThat(Json.parse(run("get", "review", "code=x", "--json").out())
            .get("messages")
            .at(0)
            .get("role"))
        .isEqualTo(Json.of("user"));
    assertThat(run("get", "review").exit()).isEqualTo(1);
  }

  @Test
  void proposalsAreALineEach() {
    assertThat(run("complete", "review", "language=ja", "code=x"))
        .isEqualTo(new Outcome(0, "java\njavascript\n", ""));
    assertThat(run("complete", "review").exit()).isEqualTo(2);
  }

  // ---------------------------------------------------------------- listen

  @Test
  void listenPrintsChangesUntilTheReaderOfItsOutputIsGone() throws Exception {
    CompletableFuture<String> ready = new CompletableFuture<>();
    CountDownLatch first = new CountDownLatch(1);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    OutputStream head = new OutputStream() {
      private int lines;

      @Override
      public void write(int b) throws IOException {
        if (lines == 2) {
          throw new IOException("Broken pipe");
        }
        out.write(b);
        if (b == '\n') {
          lines++;
          first.countDown();
        }
      }
    };
    PrintStream err = new PrintStream(OutputStream.nullOutputStream(), true, UTF_8) {
      @Override
      public void println(String line) {
        ready.complete(line);
      }
    };
    Stdio stdio = new Stdio(new ByteArrayInputStream(new byte[0]), head, err, false, false);
    CompletableFuture<Integer> exit = CompletableFuture.supplyAsync(
        () -> Main.run(stdio, words("listen", URI, "--subscribe", "shop://menu")),
        work -> new Thread(work).start());
    assertThat(ready.get(30, TimeUnit.SECONDS))
        .isEqualTo("listening: tools, prompts, resources, shop://menu");
    mcp.updated("shop://menu");
    assertThat(first.await(30, TimeUnit.SECONDS)).isTrue();
    while (!exit.isDone()) { // the third line cannot be written
      mcp.tools().changed();
      Thread.onSpinWait();
    }
    assertThat(exit.get()).isZero();
    assertThat(out.toString(UTF_8)).isEqualTo("changed: shop://menu\nchanged: tools\n");
  }

  @Test
  void listenKeepsNoMoreThanTwoMillionCharactersForASlowReader() throws Exception {
    CompletableFuture<Peer> peer = new CompletableFuture<>();
    Service chatty = Service.builder()
        .method("initialize", call -> Json.parse("""
            {"protocolVersion":"2025-06-18","capabilities":{"logging":{}},
             "serverInfo":{"name":"chatty","version":"1"}}"""))
        .method("notifications/initialized", call -> null)
        .method("logging/setLevel", call -> {
          peer.complete(call.peer());
          return Json.EMPTY_OBJECT;
        })
        .build();
    CountDownLatch reads = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    AtomicLong written = new AtomicLong();
    OutputStream slow = new OutputStream() {
      @Override
      public void write(int b) {
        throw new IllegalStateException("a line is written at once");
      }

      @Override
      public void write(byte[] bytes, int from, int count) throws IOException {
        try {
          reads.await();
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
        if (told.getCount() == 0) {
          throw new IOException("Broken pipe");
        }
        written.addAndGet(count);
      }
    };
    PrintStream err = new PrintStream(OutputStream.nullOutputStream(), true, UTF_8) {
      @Override
      public void println(String line) {
        if (line.contains("notifications are left out, since standard output is too slow")) {
          told.countDown();
        }
      }
    };
    Stdio stdio = new Stdio(new ByteArrayInputStream(new byte[0]), slow, err, false, false);
    try (Server server = Repartee.listen("mem:mcp-chatty", chatty)) {
      CompletableFuture<Integer> exit = CompletableFuture.supplyAsync(
          () -> Main.run(stdio, words("listen", server.endpoint().toString(), "--json")),
          work -> new Thread(work).start());
      Peer client = peer.get(30, TimeUnit.SECONDS);
      Json params = Json.of(Map.of("level", "error", "data", "x".repeat(1 << 19)));
      for (int i = 0; i < 20; i++) {
        client.request("notifications/message").params(params).sendNotification();
      }
      client.request("ping").params(Json.EMPTY_OBJECT).call(Json.class); // all have arrived
      reads.countDown();
      assertThat(told.await(30, TimeUnit.SECONDS)).isTrue(); // the next line cannot be written
      assertThat(exit.get(30, TimeUnit.SECONDS)).isZero();
      assertThat(written).hasValueLessThan(5 << 20);
    }
  }

  // ---------------------------------------------------------------- other transports, and failures

  @Test
  void aProcessAndAnHttpServerAreUsedInTheSameWay() throws Exception {
    Outcome process = Captured.run(
        "",
        words(
            "call",
            Child.execUri("mcp", "serve", "--class", "java.lang.Math"),
            "hypot",
            "arg0=3",
            "arg1=4"));
    assertThat(process.out()).as(process.err()).isEqualTo("5\n");
    try (Server http = mcp.listen("http://127.0.0.1:0/mcp")) {
      String uri = http.endpoint().toString();
      assertThat(Captured.run("", words("call", uri, "add", "a=1", "b=2", "--json"))
              .out())
          .contains("\"sum\":3");
      assertThat(Captured.run("", words("call", uri, "order")).out()).isEqualTo("decline null\n");
    }
  }

  @Test
  void anUnreachableServerIsThree() {
    for (String uri : List.of("unix:./nobody.sock", "http://127.0.0.1:1/", "exec:true")) {
      Outcome outcome = Captured.run("", "mcp", "tools", uri);
      assertThat(outcome.exit()).as(outcome.err()).isEqualTo(3);
      assertThat(outcome.err()).startsWith("repartee: cannot connect to " + uri).hasLineCount(1);
    }
  }

  @Test
  void anAddressThatCannotBeCalledIsTwo() {
    for (String uri : List.of("stdio:", "shop", "http://127.0.0.1:1/#nonsense=1")) {
      Outcome outcome = Captured.run("", "mcp", "tools", uri);
      assertThat(outcome.exit()).as(outcome.err()).isEqualTo(2);
      assertThat(outcome.err()).hasLineCount(1);
    }
  }

  @Test
  void aServerThatDoesNotAnswerIsFour() throws Exception {
    try (Answering silent = new Answering("tcp://127.0.0.1:0")) {
      Outcome outcome = Captured.run("", "mcp", "tools", silent.uri(), "--timeout", "200ms");
      assertThat(outcome.exit()).isEqualTo(4);
      assertThat(outcome.err()).contains("--timeout").hasLineCount(1);
    }
  }

  @Test
  void aServerThatBreaksTheProtocolIsFive() throws Exception {
    String discovered = """
        {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",\
        "supportedVersions":["2026-07-28"],"capabilities":[]}}""";
    try (Answering odd = new Answering("tcp://127.0.0.1:0", discovered)) {
      Outcome outcome = Captured.run("", "mcp", "tools", odd.uri());
      assertThat(outcome.exit()).as(outcome.err()).isEqualTo(5);
      assertThat(outcome.err()).contains("capabilities").hasLineCount(1);
    }
  }

  @Test
  void noTextOfAServerControlsTheTerminal() throws Exception {
    McpServer evil = McpServer.builder("evil", "1")
        .tool(Tool.named("t")
            .description("\u001b[2Jgone\u202e")
            .handle((call, arguments) -> "\u001b]0;owned\u0007"))
        .build();
    try (Server listening = evil.listen("mem:mcp-hostile")) {
      String hostile = listening.endpoint().toString();
      for (List<String> words : List.of(
          List.of("tools", hostile),
          List.of("tools", hostile, "t"),
          List.of("call", hostile, "t"))) {
        Captured captured = new Captured("");
        String[] line = Stream.concat(Stream.of("mcp"), words.stream()).toArray(String[]::new);
        assertThat(Main.run(captured.stdio(true), line)).isZero();
        assertThat(captured.out() + captured.err()).doesNotContain("\u001b", "\u202e", "\u0007");
      }
    }
  }
}

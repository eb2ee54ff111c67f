package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.Child.Outcome;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code repartee mcp servers}. */
@DisabledOnOs(OS.WINDOWS)
class McpServersTest {
  @TempDir
  Path folder;

  private static McpServer shop() {
    return McpServer.builder("shop", "1.0")
        .tool(Tool.named("price").description("Tells a price").handle((call, in) -> "5"))
        .build();
  }

  private String file(String json) throws IOException {
    return Files.writeString(folder.resolve("servers.json"), json.replace('\'', '"'))
        .toString();
  }

  private Outcome run(String json, String... more) throws IOException {
    String[] words = Stream.concat(Stream.of("mcp", "servers", file(json)), Stream.of(more))
        .toArray(String[]::new);
    return Captured.run("", words);
  }

  /** Accepts connections, but never answers. Ends them when it is closed. */
  private static ServerSocket silent() throws IOException {
    return new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
  }

  @Test
  void aDeadAndASilentServerDoNotKeepTheOthersFromBeingListed() throws Exception {
    CountDownLatch listed = new CountDownLatch(1);
    ByteArrayOutputStream out = new ByteArrayOutputStream() {
      @Override
      public synchronized void flush() {
        listed.countDown();
      }
    };
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Stdio stdio = new Stdio(
        new ByteArrayInputStream(new byte[0]),
        out,
        new PrintStream(err, true, UTF_8),
        false,
        false);
    ServerSocket silent = silent();
    try (Server server = shop().listen("http://127.0.0.1:0/mcp")) {
      String file = file("{'mcpServers':{"
          + "'silent':{'url':'tcp://127.0.0.1:" + silent.getLocalPort() + "'},"
          + "'dead':{'command':'sh','args':['-c','echo no key >&2; exit 1']},"
          + "'missing':{'command':'./no-such-program'},"
          + "'good':{'type':'http','url':'" + server.endpoint() + "'}}}");
      CompletableFuture<Integer> exit = CompletableFuture.supplyAsync(
          () -> Main.run(stdio, "mcp", "servers", file), work -> new Thread(work).start());
      assertThat(listed.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(exit.isDone()).isFalse();
      silent.close(); // the connection then fails
      assertThat(exit.get(60, TimeUnit.SECONDS)).isEqualTo(3);
      assertThat(out.toString(UTF_8)).isEqualTo("""
          good (shop 1.0, 2026-07-28): 1 tool
            price  Tells a price
          """);
      assertThat(err.toString(UTF_8))
          .contains(
              "repartee: dead: ",
              "it wrote: no key\n",
              "repartee: missing: cannot run ",
              "repartee: silent: ")
          .hasLineCount(3);
    }
  }

  @Test
  void aServerThatDoesNotAnswerInTimeIsFour() throws Exception {
    try (ServerSocket silent = silent()) {
      Outcome outcome = run(
          "{'mcpServers':{'slow':{'url':'tcp://127.0.0.1:" + silent.getLocalPort() + "'}}}",
          "--timeout",
          "200ms");
      assertThat(outcome)
          .isEqualTo(new Outcome(
              4, "", "repartee: slow: no answer within 200 ms; raise the limit with --timeout\n"));
    }
  }

  @Test
  void theEnvironmentAndTheHeadersAreExpanded() throws Exception {
    String home = System.getenv("PATH");
    Outcome outcome = run("{'mcpServers':{'a':{'command':'sh','args':['-c',"
        + "'echo $A:$PWD:$0 >&2', '${NO_SUCH_VARIABLE:-zero}'],"
        + "'env':{'A':'x, #&=${env:PATH}'},'cwd':'/','autoApprove':[]},"
        + "'b':{'url':'http://127.0.0.1:1/','headers':{'Authorization':'Bearer ${NO_SUCH_TOKEN}'}},"
        + "'c':{'command':'sh','disabled':true},'d':{'type':'carrier pigeon'}}}");
    assertThat(outcome.exit()).isEqualTo(3);
    assertThat(outcome.err())
        .contains(
            "a: ignored: autoApprove\n",
            "c: left out, since it is disabled\n",
            "it wrote: x, #&=" + home + ":/:zero\n",
            "repartee: b: the environment variable 'NO_SUCH_TOKEN' is not set\n",
            "repartee: d: the type 'carrier pigeon' is unknown");
  }

  @Test
  void aUrlNamesAServerThatRunsAndNoProgram() throws Exception {
    Outcome outcome = run("{'mcpServers':{'a':{'url':'stdio:'},'b':{'url':'exec:echo'},"
        + "'c':{'url':'mcp.example/?key=s3cret'}}}");
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err())
        .contains(
            "repartee: a: a 'url' cannot begin with 'stdio:', only with http:, https:, ",
            "repartee: b: a 'url' cannot begin with 'exec:'",
            "repartee: c: 'mcp.example/?...' has no scheme")
        .hasLineCount(3);
  }

  /** A query often has a key, which may come from the environment. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1:1/mcp?key=",
        "http://127.0.0.1:PORT/none?key=",
        "http://127.0.0.1:PORT/broken?key=",
        "http://127.0.0.1:PORT/moved?key=",
        "http://127.0.0.1:1/mcp#nonsense=1?key=",
        "http://127.0.0.1:1/mcp?white space=",
        "http://127.0.0.1:wrong/?key=",
        "ws://127.0.0.1:1/?key=",
        "tcp://127.0.0.1:1?key=",
        "gopher://127.0.0.1:1?key="
      })
  void noErrorShowsTheQueryOfAUrl(String url) throws Exception {
    String secret = System.getenv("HOME");
    HttpServer odd = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    odd.createContext("/", request -> {
      String path = request.getRequestURI().getPath();
      if (path.equals("/moved")) {
        request
            .getResponseHeaders()
            .set("Location", "http://127.0.0.1:1/?" + request.getRequestURI().getRawQuery());
      }
      request.getResponseHeaders().set("Content-Type", "text/plain");
      request.sendResponseHeaders(
          path.equals("/none") ? 404 : path.equals("/moved") ? 307 : 200, -1);
      request.close();
    });
    odd.start();
    try {
      Outcome outcome = run("{'mcpServers':{'a':{'url':'"
          + url.replace("PORT", String.valueOf(odd.getAddress().getPort())) + "${HOME}'}}}");
      assertThat(outcome.exit()).isBetween(2, 5);
      assertThat(outcome.err()).startsWith("repartee: a: ").hasLineCount(1).doesNotContain(secret);
    } finally {
      odd.stop(0);
    }
  }

  @Test
  void anInvalidAddressIsShownWithTheRemedyAndWithoutItsQuery() throws Exception {
    assertThat(run("{'mcpServers':{'a':{'url':'http://127.0.0.1:1/?key=s3 cret'}}}")
            .err())
        .isEqualTo("repartee: a: 'http://127.0.0.1:1/?...' is no URI: Illegal character in query at"
            + " index 26; write such a character as %20\n");
    Outcome tools = Captured.run("", "mcp", "tools", "http://127.0.0.1:1/?key=s3cret");
    assertThat(tools.err())
        .startsWith("repartee: cannot connect to http://127.0.0.1:1/?...: ")
        .doesNotContain("s3cret");
  }

  @Test
  void theFileOfVisualStudioCodeMayHaveComments() throws Exception {
    try (Server server = shop().listen("tcp://127.0.0.1:0")) {
      Outcome outcome = run(
          "{ // the 'servers'\n 'inputs': [], /* , } */ 'servers': {" + "'a//b': {'url': '"
              + server.endpoint() + "', }, 'in': {'url': '${input:url}'}, },\n}",
          "--json");
      assertThat(outcome.exit()).isEqualTo(2);
      assertThat(outcome
              .out()
              .lines()
              .map(Json::parse)
              .map(line -> line.get("server"))
              .toList())
          .containsExactlyInAnyOrder(Json.of("a//b"), Json.of("in"));
      assertThat(outcome.out()).contains("\"name\":\"price\"", "${input:url} asks the user");
    }
  }

  /** A server of a handshake revision with resources only, and without resource templates. */
  @Test
  void aServerWithoutToolsHasNone() throws Exception {
    Service notes = Service.builder()
        .method("initialize", call -> Json.parse("""
            {"protocolVersion":"2025-06-18","capabilities":{"resources":{}},
             "serverInfo":{"name":"notes","version":"2"}}"""))
        .method("notifications/initialized", call -> null)
        .method("resources/list", call -> Json.parse("""
            {"resources":[{"uri":"notes://today","name":"today"}]}"""))
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", notes)) {
      String uri = server.endpoint().toString();
      assertThat(run("{'mcpServers':{'notes':{'url':'" + uri + "'}}}"))
          .isEqualTo(new Outcome(0, "notes (notes 2, 2025-06-18): 0 tools\n", ""));
      assertThat(Captured.run("", "mcp", "resources", uri))
          .isEqualTo(new Outcome(0, "notes://today    today\n", ""));
    }
  }

  @Test
  void aFileWithoutServersIsTwo() throws Exception {
    assertThat(run("{}").err()).contains("'mcpServers'").hasLineCount(1);
    assertThat(run("{").err()).contains("is not JSON").hasLineCount(1);
    assertThat(run("{'mcpServers':{}}").exit()).isEqualTo(2);
    assertThat(Captured.run("", "mcp", "servers", "./nothing.json"))
        .isEqualTo(new Outcome(2, "", "repartee: there is no file './nothing.json'\n"));
  }

  @Test
  void withoutAFileTheUsualOnesAreNamed() {
    Outcome outcome = Captured.run("", "mcp", "servers");
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err()).contains(".vscode/mcp.json", "~/.cursor/mcp.json").hasLineCount(1);
  }
}

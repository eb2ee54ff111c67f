package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.cli.Child.Outcome;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code repartee mcp serve --as lsp}: a real language server, asked by an MCP client. */
@Tag("ci")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class McpServeLspTest {
  private static final String CLANGD = "exec:clangd --log=error --background-index=false";

  @TempDir
  Path folder;

  private static Json at(Json json, String... names) {
    Json value = json;
    for (String name : names) {
      value = Objects.requireNonNull(value.get(name), () -> "no '" + name + "' in " + json);
    }
    return value;
  }

  private static Json call(Peer client, String tool, String arguments) {
    return client
        .request("tools/call")
        .params(Json.parse(
            "{\"name\":\"" + tool + "\",\"arguments\":" + arguments.replace('\'', '"') + "}"))
        .call(Json.class);
  }

  private static String text(Json result) {
    return at(at(result, "content").elements().get(0), "text").as(String.class);
  }

  private void write() throws IOException {
    folder = folder.toRealPath();
    Files.writeString(
        folder.resolve("shape.h"), "struct Point { int x; int y; };\nint area(Point p);\n");
    Files.writeString(
        folder.resolve("shape.cpp"),
        "#include \"shape.h\"\n\nint area(Point p) {\n  return p.x * p.y;\n}\n");
    Files.writeString(
        folder.resolve("main.cpp"),
        "#include \"shape.h\"\n\nint main() {\n  /* \uD83D\uDE00 */ return area({2, 3}); unknown;\n}\n");
  }

  @Test
  void clangdAnswersAnMcpClient() throws Exception {
    assumeTrue(ExamplesTest.isInstalled("clangd"), "clangd is not installed");
    write();
    try (Child server = Child.start(
            "mcp",
            "serve",
            CLANGD,
            "--as",
            "lsp",
            "--workspace",
            folder.toString(),
            "--write",
            "--listen",
            "tcp://127.0.0.1:0");
        Peer client = Repartee.connect(server.listening())) {
      client.request("initialize").params(Json.parse("""
          {"protocolVersion":"2025-11-25","capabilities":{},\
          "clientInfo":{"name":"test","version":"1"}}""")).call(Json.class);
      client.request("notifications/initialized").params(Json.EMPTY_OBJECT).sendNotification();

      Json tools = client.request("tools/list").params(Json.EMPTY_OBJECT).call(Json.class);
      assertThat(at(tools, "tools").elements().stream()
              .map(tool -> at(tool, "name").as(String.class)))
          .contains(
              "hover",
              "definition",
              "declaration",
              "implementation",
              "references",
              "diagnostics",
              "document_symbols",
              "workspace_symbols",
              "rename");

      assertThat(text(call(client, "diagnostics", "{'file':'main.cpp'}")))
          .startsWith("main.cpp:4:32: error: Use of undeclared identifier 'unknown'")
          .endsWith("\n    /* \uD83D\uDE00 */ return area({2, 3}); unknown;");
      assertThat(text(call(client, "diagnostics", "{'file':'shape.cpp'}")))
          .isEqualTo("No problems in 'shape.cpp'.");
      assertThat(text(call(client, "hover", "{'file':'main.cpp','line':4,'symbol':'area'}")))
          .contains("function", "area", "Point p");
      assertThat(text(call(client, "definition", "{'file':'main.cpp','line':4,'symbol':'area'}")))
          .isEqualTo("shape.cpp:3:5: int area(Point p) {");
      assertThat(text(call(client, "document_symbols", "{'file':'shape.h'}")))
          .contains("shape.h:1:8: struct Point", "  shape.h:1:20: field x int");
      String references = "";
      while (references.lines().count()
          < 3) { // clangd indexes an open header soon after it is opened
        references =
            text(call(client, "references", "{'file':'main.cpp','line':4,'symbol':'area'}"));
      }
      assertThat(references.lines())
          .containsExactlyInAnyOrder(
              "main.cpp:4:18: /* \uD83D\uDE00 */ return area({2, 3}); unknown;",
              "shape.cpp:3:5: int area(Point p) {",
              "shape.h:2:5: int area(Point p);");
      assertThat(text(call(client, "workspace_symbols", "{'query':'area'}")))
          .contains("function area");
      assertThat(text(call(client, "hover", "{'file':'../main.cpp','line':1,'column':1}")))
          .contains("outside of the workspace");

      Json renamed = call(
          client,
          "rename",
          "{'file':'main.cpp','line':4,'symbol':'area','newName':'surface','apply':true}");
      assertThat(text(renamed)).startsWith("3 changes in 3 files were written:");
      for (String name : List.of("main.cpp", "shape.cpp", "shape.h")) {
        assertThat(Files.readString(folder.resolve(name)))
            .contains("surface(")
            .doesNotContain("area");
      }
      assertThat(text(call(client, "hover", "{'file':'main.cpp','line':4,'symbol':'surface'}")))
          .contains("surface");

      ProcessHandle clangd = server.process().descendants().findAny().orElseThrow();
      clangd.destroyForcibly();
      clangd.onExit().get(30, TimeUnit.SECONDS);
      String hover = "{'file':'shape.h','line':1,'symbol':'y'}";
      String answer = text(call(client, "hover", hover));
      if (answer.contains("The next call starts it again")) { // the end was not yet noticed
        answer = text(call(client, "hover", hover));
      }
      assertThat(answer).contains("int y");
    }
  }

  @Test
  void optionsThatDoNotGoTogetherAreRefused() throws Exception {
    assertUsage("add --as lsp", "exec:clangd", "--workspace", ".");
    assertUsage("add --as lsp", "exec:clangd", "--write");
    assertUsage("add --as dap", "exec:clangd", "--as", "lsp", "--terminals");
    assertUsage("'x' cannot be served as tools", "exec:clangd", "--as", "x");
    assertUsage(
        "neither --class, --method nor --describe", "--class", "java.lang.Math", "--as", "lsp");
    assertUsage("there is no folder 'no/such'", "exec:x", "--as", "lsp", "--workspace", "no/such");
    Path text = Files.writeString(folder.resolve("settings.json"), "[]");
    assertUsage("is not a JSON object", "exec:x", "--as", "lsp", "--settings", text.toString());
  }

  private static void assertUsage(String words, String... options) {
    Outcome outcome = run(options);
    assertThat(outcome.exit()).as(outcome.err()).isEqualTo(Exit.USAGE);
    assertThat(outcome.err()).contains(words);
  }

  /** Runs the command in this process; it does not serve standard input and output. */
  private static Outcome run(String... options) {
    return Captured.run(
        "",
        Stream.concat(
                Stream.of("mcp", "serve", "--listen", "tcp://127.0.0.1:0"), Stream.of(options))
            .toArray(String[]::new));
  }

  @Test
  void aLanguageServerThatCannotBeStartedIsReported() {
    Outcome outcome = run("exec:/no/such/server", "--as", "lsp");
    assertThat(outcome.exit()).isEqualTo(Exit.CANNOT_CONNECT);
    assertThat(outcome.err()).contains("/no/such/server");
  }

  @Test
  void aLanguageServerThatDoesNotAnswerIsReported() throws Exception {
    try (Answering silent = new Answering("tcp://127.0.0.1:0")) {
      Outcome outcome = run(silent.uri(), "--as", "lsp", "--timeout", "200ms");
      assertThat(outcome.exit()).isEqualTo(Exit.CANNOT_CONNECT);
      assertThat(outcome.err())
          .contains("no language server: no answer to 'initialize' within 200 ms");
    }
  }
}

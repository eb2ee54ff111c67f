package dev.repartee.lsp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.repartee.RemoteRpcException;
import dev.repartee.json.Json;
import dev.repartee.lsp.handlers.*;
import dev.repartee.lsp.types.*;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Drives real language servers with the typed client over standard streams. {@code .ci/run}
 * installs them with npm, in the folder that the system property names.
 */
@Timeout(120)
@Tag("ci")
class LanguageServersTest {
  private static final Path MODULES = Path.of(
          System.getProperty("repartee.language.servers", ""), "node_modules")
      .toAbsolutePath();

  /** The Node.js of the MCP suite: some of the servers need a newer version than Debian has. */
  private static final Path NODE = Path.of(
          System.getProperty("repartee.mcp.suite", ""), "node_modules/node/bin/node")
      .toAbsolutePath();

  /**
   * A language server, and a document for it.
   *
   * @param script the program and its arguments, in {@code node_modules}
   * @param broken the text of the document, with an error on its first line, which bash does not
   *     report without another program
   * @param change the change that repairs it
   * @param position a position after the change
   * @param hover a part of the hover at the position; empty if there is none
   * @param completed a part of the completions at the position
   * @param pulls whether the client asks for diagnostics
   */
  private record Program(
      List<String> script,
      String file,
      LanguageKind language,
      String broken,
      TextDocumentContentChangePartial change,
      Position position,
      String hover,
      String completed,
      boolean pulls) {
    @Override
    public String toString() {
      String path = script.get(0);
      return path.substring(path.lastIndexOf('/') + 1);
    }
  }

  private static TextDocumentContentChangePartial change(int from, int to, String text) {
    return new TextDocumentContentChangePartial(
        new Range(new Position(0, from), new Position(0, to)), text);
  }

  static Stream<Program> programs() {
    return Stream.of(
        new Program(
            List.of("typescript-language-server/lib/cli.mjs", "--stdio"),
            "main.ts",
            LanguageKind.TYPE_SCRIPT,
            "const size: number = 'a';\nsize.toFixed(1);\n",
            change(21, 24, "7"),
            new Position(1, 6),
            "toFixed",
            "toPrecision",
            false),
        new Program(
            List.of("vscode-langservers-extracted/bin/vscode-json-language-server", "--stdio"),
            "data.json",
            LanguageKind.JSON,
            "{\"a\" 1, \"b\": true}",
            change(4, 5, ": "),
            new Position(0, 2),
            "",
            "",
            true),
        new Program(
            List.of("vscode-langservers-extracted/bin/vscode-css-language-server", "--stdio"),
            "page.css",
            LanguageKind.CSS,
            "p { color: blue \nb { color: red; }\n",
            change(15, 16, "}"),
            new Position(1, 6),
            "color",
            "color",
            true),
        new Program(
            List.of("bash-language-server/out/cli.js", "start"),
            "run.sh",
            LanguageKind.SHELL_SCRIPT,
            "greet( {\n  echo hello\n}\ngreet\n",
            change(5, 7, "()"),
            new Position(3, 3),
            "",
            "greet",
            false),
        new Program(
            List.of("yaml-language-server/bin/yaml-language-server", "--stdio"),
            "data.yaml",
            LanguageKind.YAML,
            "a: [1\nb: 2\n",
            change(5, 5, "]"),
            new Position(1, 0),
            "",
            "",
            false),
        new Program(
            List.of("pyright/langserver.index.js", "--stdio"),
            "main.py",
            LanguageKind.PYTHON,
            "size: int = 'a'\nsize.bit_length()\n",
            change(12, 15, "7"),
            new Position(1, 7),
            "bit_length",
            "bit_count",
            false));
  }

  /** An editor with the answers that the servers ask for. */
  private static class Editor
      implements PublishDiagnosticsHandler,
          ConfigurationHandler,
          DiagnosticRefreshHandler,
          WorkDoneProgressListener {
    final BlockingQueue<PublishDiagnosticsParams> published = new LinkedBlockingQueue<>();

    @Override
    public void publishDiagnostics(PublishDiagnosticsParams params) {
      published.add(params);
    }

    @Override
    public List<Json> configuration(ConfigurationParams params) {
      // The server of CSS reports no diagnostics if it receives null.
      return Collections.nCopies(params.items().size(), Json.EMPTY_OBJECT);
    }

    @Override
    public void diagnosticRefresh() {}

    @Override
    public void began(ProgressToken token, WorkDoneProgressBegin begin) {}

    @Override
    public void ended(ProgressToken token, WorkDoneProgressEnd end) {}
  }

  @TempDir
  Path folder;

  @ParameterizedTest
  @MethodSource("programs")
  void aServerIsDrivenFromInitializeToExit(Program program) throws Exception {
    Path script = MODULES.resolve(program.script().get(0));
    assumeThat(script)
        .as("-Drepartee.language.servers names no folder with what .ci/run installs")
        .exists();
    Path status = folder.resolve("status");
    String arguments =
        String.join(" ", program.script().subList(1, program.script().size()));
    String node = Files.isExecutable(NODE) ? "'" + NODE + "'" : "node";
    String command = node + " '" + script + "' " + arguments + "; echo $? > '" + status + "'";
    String uri = "exec:" + Json.of(List.of("sh", "-c", command));
    Path file = folder.resolve(program.file());
    Files.writeString(file, program.broken());
    TextDocumentIdentifier document = new TextDocumentIdentifier(file.toUri().toString());
    Editor editor = new Editor();

    try (LspClient client = LspClient.connect(uri, editor)) {
      LanguageServer server = client.server();
      InitializeResult initialized = server.initialize(initialize());
      server.initialized(new InitializedParams());
      server.didOpenTextDocument(new DidOpenTextDocumentParams(
          new TextDocumentItem(document.uri(), program.language(), 1, program.broken())));
      boolean diagnoses = program.language() != LanguageKind.SHELL_SCRIPT;
      if (diagnoses) {
        assertThat(diagnostics(program, server, editor, document, false)).isNotEmpty();
      }

      server.didChangeTextDocument(new DidChangeTextDocumentParams(
          new VersionedTextDocumentIdentifier(document.uri(), 2), List.of(program.change())));
      assertThat(diagnostics(program, server, editor, document, true)).isEmpty();

      assertThat(initialized.capabilities().hoverProvider()).isNotNull();
      Hover hover = server.hover(new HoverParams(document, program.position()));
      if (!program.hover().isEmpty()) {
        assertThat(String.valueOf(hover)).contains(program.hover());
      }
      CompletionResult completions =
          server.completion(new CompletionParams(document, program.position()));
      assertThat(labels(completions))
          .anyMatch(each -> program.completed().isEmpty() || each.contains(program.completed()));
      cancel(client, document, program.position());
      refusesAnUnknownRequest(client);

      RealServer.end(client);
    }

    assertThat(Files.readString(status).strip()).isEqualTo("0");
  }

  private InitializeParams initialize() {
    return new InitializeParams(
            (int) ProcessHandle.current().pid(),
            folder.toUri().toString(),
            new ClientCapabilities()
                .withWindow(new WindowClientCapabilities().withWorkDoneProgress(true))
                .withWorkspace(new WorkspaceClientCapabilities()
                    .withConfiguration(true)
                    .withWorkspaceFolders(true))
                .withTextDocument(new TextDocumentClientCapabilities()
                    .withHover(new HoverClientCapabilities()
                        .withContentFormat(List.of(MarkupKind.PLAIN_TEXT)))
                    .withCompletion(new CompletionClientCapabilities())
                    .withPublishDiagnostics(new PublishDiagnosticsClientCapabilities())
                    .withDiagnostic(new DiagnosticClientCapabilities())))
        .withWorkspaceFolders(List.of(new WorkspaceFolder(folder.toUri().toString(), "test")));
  }

  /** Returns the diagnostics of the document as soon as they are (not) empty. */
  private static Collection<Diagnostic> diagnostics(
      Program program,
      LanguageServer server,
      Editor editor,
      TextDocumentIdentifier document,
      boolean empty)
      throws InterruptedException {
    if (program.pulls()) {
      DocumentDiagnosticReport report =
          server.documentDiagnostic(new DocumentDiagnosticParams(document));
      return ((RelatedFullDocumentDiagnosticReport) report).items();
    }
    while (true) {
      PublishDiagnosticsParams next = editor.published.poll(60, TimeUnit.SECONDS);
      assertThat(next).as("diagnostics").isNotNull();
      if (next.uri().equals(document.uri()) && next.diagnostics().isEmpty() == empty) {
        return next.diagnostics();
      }
    }
  }

  private static List<String> labels(@Nullable CompletionResult completions) {
    List<CompletionItem> items = completions instanceof CompletionList list
        ? list.items()
        : completions == null
            ? List.of()
            : ((CompletionResult.OfCompletionItemList) completions).value();
    // A server without completions at a place returns an empty list.
    return items.isEmpty()
        ? List.of("")
        : items.stream().map(CompletionItem::label).toList();
  }

  /** Cancels a request, unless the server is faster; the next request is answered all the same. */
  private static void cancel(LspClient client, TextDocumentIdentifier document, Position position) {
    CompletableFuture<CompletionResult> call =
        client.async().completion(new CompletionParams(document, position));
    boolean cancelled = call.cancel(true);
    assertThat(call.isCancelled()).isEqualTo(cancelled);
  }

  private static void refusesAnUnknownRequest(LspClient client) {
    CompletableFuture<Json> call = client.peer().request("repartee/unknown").send(Json.class);
    Throwable failure = call.handle((result, e) -> e).join();
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    assertThat(cause)
        .isInstanceOfSatisfying(
            RemoteRpcException.class, e -> assertThat(e.code()).isEqualTo(-32601));
  }
}

package dev.repartee.lsp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.repartee.Options;
import dev.repartee.json.Json;
import dev.repartee.lsp.handlers.*;
import dev.repartee.lsp.types.*;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Drives a real language server with the typed client. */
@Tag("ci")
class ClangdTest {
  private static final String SOURCE = """
      struct Point { int x; int y; };
      int area(Point p) { return p.x * p.y; }
      int main() { return area({2, 3}); unknown; }
      """;

  private static class Editor implements PublishDiagnosticsHandler {
    final BlockingQueue<PublishDiagnosticsParams> published = new LinkedBlockingQueue<>();

    @Override
    public void publishDiagnostics(PublishDiagnosticsParams params) {
      published.add(params);
    }
  }

  @Test
  void clangdIsDrivenFromInitializeToExit(@TempDir Path folder) throws Exception {
    assumeThat(Stream.of(System.getenv("PATH").split(File.pathSeparator)))
        .as("clangd is not installed")
        .anyMatch(path -> Files.isExecutable(Path.of(path, "clangd")));
    Path status = folder.resolve("status");
    String uri = "exec:"
        + Json.of(List.of(
            "sh", "-c", "clangd --log=error --background-index=false; echo $? > " + status));
    Path file = folder.resolve("main.cpp");
    Files.writeString(file, SOURCE);
    TextDocumentIdentifier document = new TextDocumentIdentifier(file.toUri().toString());
    Editor editor = new Editor();
    Options options = LspServer.options().build();

    try (LspClient client = LspClient.connect(uri, editor, options)) {
      LanguageServer clangd = client.server();
      InitializeResult initialized = clangd.initialize(new InitializeParams(
          (int) ProcessHandle.current().pid(),
          folder.toUri().toString(),
          new ClientCapabilities()
              .withTextDocument(new TextDocumentClientCapabilities()
                  .withHover(new HoverClientCapabilities()
                      .withContentFormat(List.of(MarkupKind.PLAIN_TEXT)))
                  .withDocumentSymbol(new DocumentSymbolClientCapabilities()
                      .withHierarchicalDocumentSymbolSupport(true)))));
      clangd.initialized(new InitializedParams());
      clangd.didOpenTextDocument(new DidOpenTextDocumentParams(
          new TextDocumentItem(document.uri(), LanguageKind.CPP, 1, SOURCE)));

      assertThat(initialized.serverInfo().name()).isEqualTo("clangd");
      assertThat(initialized.capabilities().hoverProvider()).isEqualTo(HoverProvider.of(true));
      PublishDiagnosticsParams published = editor.published.poll(60, TimeUnit.SECONDS);
      assertThat(published.diagnostics()).hasSize(1);
      assertThat(published.diagnostics().get(0).severity()).isEqualTo(DiagnosticSeverity.ERROR);
      assertThat(published.diagnostics().get(0).range().start()).isEqualTo(new Position(2, 34));

      Hover hover = clangd.hover(new HoverParams(document, new Position(1, 4)));
      assertThat(((MarkupContent) hover.contents()).value()).contains("function area");

      DefinitionResult definition =
          clangd.definition(new DefinitionParams(document, new Position(2, 21)));
      assertThat(((Definition.OfLocationList) definition).value().get(0).range().start())
          .isEqualTo(new Position(1, 4));

      CompletionResult completion =
          clangd.completion(new CompletionParams(document, new Position(1, 29)));
      assertThat(((CompletionList) completion).items())
          .extracting(CompletionItem::filterText)
          .contains("x", "y");

      DocumentSymbolResult symbols = clangd.documentSymbol(new DocumentSymbolParams(document));
      assertThat(((DocumentSymbolResult.OfDocumentSymbolList) symbols).value())
          .extracting(DocumentSymbol::kind)
          .endsWith(SymbolKind.FUNCTION, SymbolKind.FUNCTION);

      RealServer.end(client);
    }

    assertThat(Files.readString(status).strip()).isEqualTo("0");
  }
}

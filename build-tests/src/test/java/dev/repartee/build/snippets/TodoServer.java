package dev.repartee.build.snippets;

import dev.repartee.lsp.*;
import dev.repartee.lsp.handlers.*;
import dev.repartee.lsp.types.*;
import java.util.List;
import java.util.stream.IntStream;

public class TodoServer
    implements InitializeHandler, DidOpenTextDocumentHandler, HoverHandler, LanguageClientAware {
  private LanguageClient client;

  @Override
  public void connect(LanguageClient client) {
    this.client = client;
  }

  @Override
  public InitializeResult initialize(InitializeParams params) {
    return new InitializeResult(new ServerCapabilities()
        .withTextDocumentSync(TextDocumentSyncKind.FULL)
        .withHoverProvider(true));
  }

  @Override
  public void didOpenTextDocument(DidOpenTextDocumentParams params) {
    List<String> lines = params.textDocument().text().lines().toList();
    IntStream found = IntStream.range(0, lines.size()).filter(i -> lines.get(i).contains("TODO"));
    client.publishDiagnostics(new PublishDiagnosticsParams(
        params.textDocument().uri(),
        found
            .mapToObj(i -> new Diagnostic(
                new Range(new Position(i, 0), new Position(i + 1, 0)), "still to do"))
            .toList()));
  }

  @Override
  public Hover hover(HoverParams params) {
    String line = "line **" + params.position().line() + "**";
    return new Hover(new MarkupContent(MarkupKind.MARKDOWN, line));
  }

  public static void main(String[] args) throws Exception {
    System.exit(LspServer.run(new TodoServer()));
  }
}

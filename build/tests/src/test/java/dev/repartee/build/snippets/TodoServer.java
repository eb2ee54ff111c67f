package dev.repartee.build.snippets;

import dev.repartee.lsp.*;
import dev.repartee.lsp.documents.*;
import dev.repartee.lsp.handlers.*;
import dev.repartee.lsp.types.*;
import java.util.stream.IntStream;

public class TodoServer
    implements InitializeHandler, TextDocumentSyncHandler, HoverHandler, LanguageClientAware {
  private final TextDocuments documents = new TextDocuments();
  private LanguageClient client;

  @Override
  public void connect(LanguageClient client) {
    this.client = client;
  }

  @Override
  public TextDocuments documents() {
    return documents;
  }

  @Override
  public InitializeResult initialize(InitializeParams params) {
    return new InitializeResult(documents.capabilities(params).withHoverProvider(true));
  }

  @Override
  public void changed(TextDocument document) {
    IntStream found =
        IntStream.range(0, document.lineCount()).filter(i -> document.line(i).contains("TODO"));
    client.publishDiagnostics(new PublishDiagnosticsParams(
        document.uri(),
        found
            .mapToObj(i -> new Diagnostic(
                new Range(new Position(i, 0), new Position(i + 1, 0)), "still to do"))
            .toList()));
  }

  @Override
  public Hover hover(HoverParams params) {
    int line = params.position().line();
    Range range = new Range(new Position(line, 0), new Position(line + 1, 0));
    String text = documents.get(params.textDocument().uri()).text(range);
    return new Hover(new MarkupContent(MarkupKind.MARKDOWN, "line **" + text.strip() + "**"));
  }

  public static void main(String[] args) throws Exception {
    System.exit(LspServer.run(new TodoServer(), args));
  }
}

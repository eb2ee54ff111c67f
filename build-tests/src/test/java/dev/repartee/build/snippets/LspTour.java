package dev.repartee.build.snippets;

import dev.repartee.Call;
import dev.repartee.Rpc;
import dev.repartee.lsp.LspClient;
import dev.repartee.lsp.handlers.LanguageServer;
import dev.repartee.lsp.handlers.PublishDiagnosticsHandler;
import dev.repartee.lsp.types.*;
import java.time.Duration;
import java.util.List;

/** The code of protocols/lsp/README.md, besides {@link TodoServer}. */
final class LspTour {
  private LspTour() {}

  record Editor(List<Diagnostic> found) implements PublishDiagnosticsHandler {
    @Override
    public void publishDiagnostics(PublishDiagnosticsParams params) {
      found.addAll(params.diagnostics());
    }
  }

  static String hover(String server, Editor editor, TextDocumentItem document) throws Exception {
    try (LspClient client = LspClient.connect(server, editor)) {
      LanguageServer language = client.server();
      language.initialize(new InitializeParams(null, null, new ClientCapabilities()));
      language.initialized(new InitializedParams());
      language.didOpenTextDocument(new DidOpenTextDocumentParams(document));
      Hover hover = language.hover(
          new HoverParams(new TextDocumentIdentifier(document.uri()), new Position(1, 0)));
      return hover.contents() instanceof MarkupContent markup ? markup.value() : "";
    }
  }

  static final class Waiting {
    @Rpc(value = "workspace/executeCommand", paramsObject = true)
    public void executeCommand(ExecuteCommandParams params, Call call) throws Exception {
      call.cancellation().sleep(Duration.ofMinutes(1));
    }
  }
}

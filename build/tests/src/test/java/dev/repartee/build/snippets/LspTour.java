package dev.repartee.build.snippets;

import dev.repartee.Call;
import dev.repartee.Rpc;
import dev.repartee.lsp.DynamicRegistration;
import dev.repartee.lsp.LspClient;
import dev.repartee.lsp.LspSession;
import dev.repartee.lsp.LspSessionAware;
import dev.repartee.lsp.PartialResults;
import dev.repartee.lsp.WorkDoneProgress;
import dev.repartee.lsp.documents.TextDocuments;
import dev.repartee.lsp.handlers.LanguageServer;
import dev.repartee.lsp.handlers.PublishDiagnosticsHandler;
import dev.repartee.lsp.types.*;
import dev.repartee.stream.Streamed;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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

  static final class Indexing implements LspSessionAware {
    private final List<String> files = List.of("a.txt", "b.txt");
    private LspSession session;
    DynamicRegistration registration;

    @Override
    public void connect(LspSession session) {
      this.session = session;
    }

    @Rpc(value = "workspace/executeCommand", paramsObject = true)
    public void executeCommand(ExecuteCommandParams params, Call call) {
      try (WorkDoneProgress progress = session.progress(call)) {
        progress.begin(
            new WorkDoneProgressBegin("Indexing").withCancellable(true).withPercentage(0));
        for (int i = 0; i < files.size(); i++) {
          call.cancellation().throwIfCancelled();
          progress.report(files.get(i), 100 * i / files.size());
        }
      }
    }

    void watch() {
      FileSystemWatcher classes = new FileSystemWatcher(GlobPattern.of("**/*.class"));
      registration = session.register(
          "workspace/didChangeWatchedFiles",
          new DidChangeWatchedFilesRegistrationOptions(List.of(classes)));
    }
  }

  static final class Searching {
    private final TextDocuments documents = new TextDocuments()
        .cancelOnChange("textDocument/diagnostic", "textDocument/semanticTokens/full");

    TextDocuments documents() {
      return documents;
    }

    @Rpc(value = "textDocument/references", paramsObject = true)
    @Streamed(partialResults = true)
    public Stream<Location> references(ReferenceParams params) {
      return search(params);
    }

    private static Stream<Location> search(ReferenceParams params) {
      Position start = params.position();
      return IntStream.range(0, 3)
          .mapToObj(i -> new Location(
              params.textDocument().uri(), new Range(start, new Position(start.line() + i, 0))));
    }
  }

  static CompletableFuture<PartialResults<Location>> references(
      LspClient client, ReferenceParams params) {
    return client.collect("textDocument/references", params, Location.class);
  }
}

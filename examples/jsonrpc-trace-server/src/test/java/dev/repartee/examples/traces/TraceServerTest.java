package dev.repartee.examples.traces;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Server;
import dev.repartee.lsp.LspClient;
import dev.repartee.lsp.LspServer;
import dev.repartee.lsp.handlers.LanguageServer;
import dev.repartee.lsp.handlers.PublishDiagnosticsHandler;
import dev.repartee.lsp.types.*;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Drives the server with the typed client, on the trace of the README. */
@Timeout(60)
class TraceServerTest {
  private static final TextDocumentIdentifier TRACE = new TextDocumentIdentifier("file:///calls");

  private static class Editor implements PublishDiagnosticsHandler {
    final BlockingQueue<PublishDiagnosticsParams> published = new LinkedBlockingQueue<>();

    @Override
    public void publishDiagnostics(PublishDiagnosticsParams params) {
      published.add(params);
    }

    List<Diagnostic> next() throws InterruptedException {
      return published.poll(30, TimeUnit.SECONDS).diagnostics();
    }
  }

  private final Editor editor = new Editor();
  private Server listening;
  private LspClient client;
  private LanguageServer server;

  @BeforeEach
  void start() throws IOException {
    listening = LspServer.listen("mem:", TraceServer::new, LspServer.options().build());
    client = LspClient.connect(listening.endpoint().bare().toString(), editor);
    server = client.server();
    server.initialize(new InitializeParams(null, null, new ClientCapabilities()));
    server.initialized(new InitializedParams());
  }

  @AfterEach
  void stop() {
    client.close();
    listening.close();
  }

  private List<Diagnostic> open(String text) throws InterruptedException {
    server.didOpenTextDocument(new DidOpenTextDocumentParams(
        new TextDocumentItem(TRACE.uri(), LanguageKind.of("jsonl"), 1, text)));
    return editor.next();
  }

  private List<Diagnostic> open() throws IOException, InterruptedException {
    return open(Files.readString(Path.of("calls.jsonl")));
  }

  private List<Diagnostic> change(TextDocumentContentChangeEvent... changes)
      throws InterruptedException {
    server.didChangeTextDocument(new DidChangeTextDocumentParams(
        new VersionedTextDocumentIdentifier(TRACE.uri(), 2), List.of(changes)));
    return editor.next();
  }

  /** Returns a position; lines count from 1, as an editor shows them. */
  private static Position at(int line, int character) {
    return new Position(line - 1, character);
  }

  private String hover(int line, int character) {
    Hover hover = server.hover(new HoverParams(TRACE, at(line, character)));
    return hover == null ? "" : ((MarkupContent) hover.contents()).value();
  }

  private int definition(int line) {
    Location found = (Location) server.definition(new DefinitionParams(TRACE, at(line, 50)));
    return found == null ? 0 : found.range().start().line() + 1;
  }

  private List<Integer> references(int line) {
    ReferenceContext context = new ReferenceContext(true);
    return server.references(new ReferenceParams(TRACE, at(line, 50), context)).stream()
        .map(location -> location.range().start().line() + 1)
        .toList();
  }

  @Test
  void diagnosticsArriveWhenADocumentIsOpenedChangedAndClosed() throws Exception {
    List<Diagnostic> found = open();

    assertThat(found)
        .extracting(each -> each.range().start().line() + 1)
        .containsExactly(7, 11, 12);
    assertThat(found)
        .extracting(Diagnostic::severity)
        .containsExactly(
            DiagnosticSeverity.ERROR, DiagnosticSeverity.ERROR, DiagnosticSeverity.HINT);
    assertThat(found.get(0).range()).isEqualTo(new Range(at(7, 91), at(7, 98)));

    assertThat(change(
            new TextDocumentContentChangePartial(new Range(at(7, 91), at(7, 92)), "["),
            new TextDocumentContentChangePartial(new Range(at(7, 97), at(7, 98)), "]")))
        .hasSize(2);
    assertThat(change(new TextDocumentContentChangeWholeDocument("[]\n"))).hasSize(1);

    server.didCloseTextDocument(new DidCloseTextDocumentParams(TRACE));
    assertThat(editor.next()).isEmpty();
  }

  @Test
  void aDiagnosticNamesTheOtherMessageThatItIsAbout() throws Exception {
    String call = """
        {"jsonrpc":"2.0","method":"a","id":1}
        """;

    List<Diagnostic> found = open(call + call);

    assertThat(found.get(1).relatedInformation())
        .extracting(related -> related.location().range())
        .containsExactly(new Range(at(1, 26), at(1, 29)));
  }

  @Test
  void aHoverShowsAMessageItsOtherHalfAndTheTimeBetween() throws Exception {
    open();

    assertThat(hover(3, 80)).isEqualTo("""
        **request** `sum`, id `1`, in, connection 1, at 1.204 ms

        ```json
        [
          1,
          2,
          4
        ]
        ```

        **response** after 0.173 ms, line 4

        ```json
        7
        ```""");
    assertThat(hover(4, 0))
        .startsWith("**response** to `sum`, id `1`, out")
        .contains("**request** `sum`, 0.173 ms before, line 3");
    assertThat(hover(6, 60)).contains("`rpc.progress`").contains("**request** `report`");
    assertThat(hover(11, 60)).startsWith("**response** without a request in this trace");
    assertThat(hover(12, 60)).endsWith("**no response**");
    assertThat(hover(2, 10)).isEmpty();
  }

  @Test
  void aHoverOfAHostileMessageStaysShortAndWithinItsMarkdown() throws Exception {
    open("""
        {"jsonrpc":"2.0","method":"a`**b\\n%s","params":[%s%s,"```%s"]}\
        """.formatted("x".repeat(9_000), "[".repeat(400), "]".repeat(400), "y".repeat(9_000)));

    assertThat(hover(1, 3)).startsWith("**notification** `a?**b?xxx").hasSizeLessThan(5_000);
  }

  @Test
  void theDefinitionOfAResponseIsItsRequest() throws Exception {
    open();

    assertThat(definition(4)).isEqualTo(3);
    assertThat(definition(3)).isEqualTo(3);
    assertThat(definition(10)).isEqualTo(5);
    assertThat(definition(6)).isEqualTo(5);
    assertThat(definition(9)).isEqualTo(5);
    assertThat(definition(11)).isZero();
  }

  @Test
  void theReferencesOfARequestAreAllMessagesAboutIt() throws Exception {
    open();

    assertThat(references(5)).containsExactly(5, 6, 9, 10);
    assertThat(references(9)).containsExactly(5, 6, 9, 10);
    assertThat(server.documentHighlight(new DocumentHighlightParams(TRACE, at(4, 0))))
        .extracting(highlight -> highlight.range().start().line() + 1)
        .containsExactly(3, 4);
  }

  @Test
  void progressIsFoundByTheTokensOfLspAndMcp() throws Exception {
    open("""
        {"jsonrpc":"2.0","method":"x","params":{"workDoneToken":"t","partialResultToken":2},"id":1}
        {"jsonrpc":"2.0","method":"$/progress","params":{"token":"t","value":1}}
        {"jsonrpc":"2.0","method":"$/progress","params":{"token":2,"value":1}}
        {"jsonrpc":"2.0","method":"tools/call","params":{"_meta":{"progressToken":5}},"id":2}
        {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5}}
        {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}
        {"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}
        """);

    assertThat(references(1)).containsExactly(1, 2, 3, 7);
    assertThat(references(4)).containsExactly(4, 5, 6);
  }

  @Test
  void eachMessageOfABatchIsFoundAtItsPlace() throws Exception {
    open("""
        [{"jsonrpc":"2.0","method":"a","id":1},{"jsonrpc":"2.0","method":"b","id":2}]
        [{"jsonrpc":"2.0","result":"B","id":2},{"jsonrpc":"2.0","result":"A","id":1}]
        """);

    assertThat(hover(1, 10)).contains("`a`").contains("\"A\"");
    assertThat(hover(1, 60)).contains("`b`").contains("\"B\"");
    assertThat(hover(1, 200)).isEmpty();
  }

  @Test
  void symbolsAreTheCallsWithTheirOutcome() throws Exception {
    open();

    DocumentSymbolResult symbols = server.documentSymbol(new DocumentSymbolParams(TRACE));

    assertThat(((DocumentSymbolResult.OfDocumentSymbolList) symbols).value())
        .extracting(symbol -> symbol.name() + ": " + symbol.detail())
        .containsExactly(
            "sum: 0.173 ms",
            "report: error -32800: Call cancelled (8.013 ms)",
            "sum: error -32600: Invalid Request (0.020 ms)",
            "wait: no response");
  }

  @Test
  void connectionsAndLongExchangesFoldAndFoldsNeverOverlap() throws Exception {
    open();

    assertThat(server.foldingRange(new FoldingRangeParams(TRACE)))
        .extracting(fold -> fold.startLine() + 1 + "-" + (fold.endLine() + 1))
        .containsExactly("2-13", "5-10");
  }

  @Test
  void inlayHintsShowTheOutcomeBehindTheMethod() throws Exception {
    open();

    List<InlayHint> hints =
        server.inlayHint(new InlayHintParams(TRACE, new Range(at(3, 0), at(4, 0))));

    assertThat(hints).hasSize(1);
    assertThat(hints.get(0).position()).isEqualTo(at(3, 81));
    assertThat(hints.get(0).label()).isEqualTo(InlayHintLabel.of("0.173 ms"));
  }

  @Test
  void positionsOutsideOfTheDocumentFindNothing() throws Exception {
    open();

    assertThat(hover(100, 0)).isEmpty();
    assertThat(definition(100)).isZero();
  }

  @Test
  void aDocumentThatIsNotOpenIsRefused() {
    assertThatThrownBy(() -> hover(1, 0)).hasMessageContaining("file:///calls is not open");
  }
}

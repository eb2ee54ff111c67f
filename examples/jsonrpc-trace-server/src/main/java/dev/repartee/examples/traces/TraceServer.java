package dev.repartee.examples.traces;

import dev.repartee.lsp.LanguageClientAware;
import dev.repartee.lsp.documents.TextDocument;
import dev.repartee.lsp.documents.TextDocumentSyncHandler;
import dev.repartee.lsp.documents.TextDocuments;
import dev.repartee.lsp.handlers.DefinitionHandler;
import dev.repartee.lsp.handlers.DocumentHighlightHandler;
import dev.repartee.lsp.handlers.DocumentSymbolHandler;
import dev.repartee.lsp.handlers.FoldingRangeHandler;
import dev.repartee.lsp.handlers.HoverHandler;
import dev.repartee.lsp.handlers.InitializeHandler;
import dev.repartee.lsp.handlers.InlayHintHandler;
import dev.repartee.lsp.handlers.LanguageClient;
import dev.repartee.lsp.handlers.ReferencesHandler;
import dev.repartee.lsp.types.DefinitionParams;
import dev.repartee.lsp.types.DefinitionResult;
import dev.repartee.lsp.types.Diagnostic;
import dev.repartee.lsp.types.DiagnosticRelatedInformation;
import dev.repartee.lsp.types.DocumentHighlight;
import dev.repartee.lsp.types.DocumentHighlightParams;
import dev.repartee.lsp.types.DocumentSymbol;
import dev.repartee.lsp.types.DocumentSymbolParams;
import dev.repartee.lsp.types.DocumentSymbolResult;
import dev.repartee.lsp.types.FoldingRange;
import dev.repartee.lsp.types.FoldingRangeParams;
import dev.repartee.lsp.types.Hover;
import dev.repartee.lsp.types.HoverParams;
import dev.repartee.lsp.types.InitializeParams;
import dev.repartee.lsp.types.InitializeResult;
import dev.repartee.lsp.types.InlayHint;
import dev.repartee.lsp.types.InlayHintLabel;
import dev.repartee.lsp.types.InlayHintParams;
import dev.repartee.lsp.types.Location;
import dev.repartee.lsp.types.MarkupContent;
import dev.repartee.lsp.types.MarkupKind;
import dev.repartee.lsp.types.Position;
import dev.repartee.lsp.types.PublishDiagnosticsParams;
import dev.repartee.lsp.types.Range;
import dev.repartee.lsp.types.ReferenceParams;
import dev.repartee.lsp.types.ServerInfo;
import dev.repartee.lsp.types.SymbolKind;
import dev.repartee.lsp.types.TextDocumentIdentifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The language server for one editor.
 *
 * <p>The changes of a document arrive one after another and replace its {@link TraceText}, which is
 * immutable. Requests run concurrently with them, each on the current version.
 */
final class TraceServer
    implements InitializeHandler,
        LanguageClientAware,
        TextDocumentSyncHandler,
        HoverHandler,
        DefinitionHandler,
        ReferencesHandler,
        DocumentHighlightHandler,
        DocumentSymbolHandler,
        FoldingRangeHandler,
        InlayHintHandler {
  private static final int MOST_DIAGNOSTICS = 1_000;

  /** The maximum number of symbols, references, highlights or hints in one answer. */
  private static final int MOST_SYMBOLS = 10_000;

  private static final int MOST_FOLDS = 5_000;

  /** The number of lines from which on an exchange can be folded. */
  private static final int LONG = 3;

  private final TextDocuments documents = new TextDocuments();

  /** The last versions of the documents, as traces. */
  private final Map<String, TraceText> traces = new ConcurrentHashMap<>();

  private volatile @Nullable LanguageClient client;

  @Override
  public void connect(LanguageClient client) {
    this.client = client;
  }

  @Override
  public InitializeResult initialize(InitializeParams params) {
    return new InitializeResult(documents
            .capabilities(inUtf16(params))
            .withHoverProvider(true)
            .withDefinitionProvider(true)
            .withReferencesProvider(true)
            .withDocumentHighlightProvider(true)
            .withDocumentSymbolProvider(true)
            .withFoldingRangeProvider(true)
            .withInlayHintProvider(true))
        .withServerInfo(new ServerInfo("jsonrpc-trace-server"));
  }

  /**
   * Returns params without the client's encodings of positions: then the encoding is UTF-16. Every
   * client supports it, and in it a position within a long line is found without counting.
   */
  private static InitializeParams inUtf16(InitializeParams params) {
    return new InitializeParams(null, null, params.capabilities().withGeneral(null));
  }

  // ---------------------------------------------------------------- documents

  @Override
  public TextDocuments documents() {
    return documents;
  }

  @Override
  public void changed(TextDocument document) {
    String uri = document.uri();
    TraceText before = traces.get(uri);
    String text = document.text();
    TraceText trace = before == null ? TraceText.of(text) : before.changed(text);
    traces.put(uri, trace);
    publish(new PublishDiagnosticsParams(
        uri,
        document.version(),
        trace.findings(MOST_DIAGNOSTICS).stream()
            .map(found -> diagnostic(uri, found.line(), found.finding()))
            .toList()));
  }

  @Override
  public void closed(String uri) {
    traces.remove(uri);
    publish(new PublishDiagnosticsParams(uri, List.of()));
  }

  private static Diagnostic diagnostic(String uri, int line, Finding finding) {
    Range range = range(line, finding.from(), finding.to());
    Diagnostic diagnostic = new Diagnostic(range, finding.sentence())
        .withSeverity(finding.severity())
        .withSource("json-rpc");
    Exchange.Part see = finding.see();
    return see == null
        ? diagnostic
        : diagnostic.withRelatedInformation(List.of(new DiagnosticRelatedInformation(
            new Location(uri, range(see)), see.message().isRequest() ? "request" : "response")));
  }

  private void publish(PublishDiagnosticsParams params) {
    LanguageClient editor = client;
    if (editor != null) {
      editor.publishDiagnostics(params);
    }
  }

  // ---------------------------------------------------------------- one exchange

  @Override
  public @Nullable Hover hover(HoverParams params) {
    TraceText trace = trace(params.textDocument());
    Exchange.Part part = trace == null ? null : trace.at(params.position());
    if (trace == null || part == null) {
      return null;
    }
    TraceMessage message = part.message();
    return new Hover(new MarkupContent(MarkupKind.MARKDOWN, Hovers.of(trace, part)))
        .withRange(range(part.line(), message.from(), message.to()));
  }

  @Override
  public @Nullable DefinitionResult definition(DefinitionParams params) {
    Exchange exchange = exchange(params.textDocument(), params.position());
    return exchange == null
        ? null
        : new Location(params.textDocument().uri(), range(exchange.call));
  }

  @Override
  public @Nullable List<Location> references(ReferenceParams params) {
    Exchange exchange = exchange(params.textDocument(), params.position());
    return exchange == null
        ? null
        : parts(exchange, params.context().includeDeclaration())
            .map(part -> new Location(params.textDocument().uri(), range(part)))
            .toList();
  }

  @Override
  public @Nullable List<DocumentHighlight> documentHighlight(DocumentHighlightParams params) {
    Exchange exchange = exchange(params.textDocument(), params.position());
    return exchange == null
        ? null
        : parts(exchange, true).map(part -> new DocumentHighlight(range(part))).toList();
  }

  private static Stream<Exchange.Part> parts(Exchange exchange, boolean withCall) {
    Stream<Exchange.Part> others = exchange.others().stream();
    return (withCall ? Stream.concat(Stream.of(exchange.call), others) : others)
        .limit(MOST_SYMBOLS);
  }

  // ---------------------------------------------------------------- the whole document

  @Override
  public @Nullable DocumentSymbolResult documentSymbol(DocumentSymbolParams params) {
    TraceText trace = trace(params.textDocument());
    return trace == null
        ? null
        : DocumentSymbolResult.ofDocumentSymbolList(trace.pairing().exchanges().stream()
            .limit(MOST_SYMBOLS)
            .map(TraceServer::symbol)
            .toList());
  }

  private static DocumentSymbol symbol(Exchange exchange) {
    TraceMessage message = exchange.call.message();
    SymbolKind kind = message.isRequest() ? SymbolKind.METHOD : SymbolKind.EVENT;
    Range all = range(exchange.call.line(), message.from(), message.to());
    String detail = exchange.outcome();
    return new DocumentSymbol(message.name(), kind, all, range(exchange.call))
        .withDetail(detail.isEmpty() ? null : detail);
  }

  /** Returns a fold for each connection and long exchange; of two that overlap only the first. */
  @Override
  public @Nullable List<FoldingRange> foldingRange(FoldingRangeParams params) {
    TraceText trace = trace(params.textDocument());
    if (trace == null) {
      return null;
    }
    List<FoldingRange> folds = new ArrayList<>();
    for (Pairing.Connection connection : trace.pairing().connections()) {
      fold(connection.opened(), connection.closed(), folds);
    }
    for (Exchange exchange : trace.pairing().exchanges()) {
      Exchange.Part response = exchange.response();
      if (response != null) {
        fold(exchange.call.line(), response.line(), folds);
      }
    }
    return nested(folds);
  }

  private static void fold(int first, int last, List<FoldingRange> folds) {
    if (last - first + 1 >= LONG) {
      folds.add(new FoldingRange(first, last));
    }
  }

  /** Returns the folds that are nested or disjoint, as editors require. */
  private static List<FoldingRange> nested(List<FoldingRange> folds) {
    folds.sort(Comparator.comparingInt(FoldingRange::startLine)
        .thenComparing(FoldingRange::endLine, Comparator.reverseOrder()));
    List<FoldingRange> kept = new ArrayList<>();
    Deque<FoldingRange> open = new ArrayDeque<>();
    for (FoldingRange fold : folds) {
      while (!open.isEmpty() && open.getLast().endLine() < fold.startLine()) {
        open.removeLast();
      }
      FoldingRange outer = open.peekLast();
      boolean fits = outer == null
          || fold.endLine() <= outer.endLine() && fold.startLine() > outer.startLine();
      if (fits && kept.size() < MOST_FOLDS) {
        kept.add(fold);
        open.add(fold);
      }
    }
    return kept;
  }

  /** Returns the duration or the error of each request, to be shown after its method. */
  @Override
  public @Nullable List<InlayHint> inlayHint(InlayHintParams params) {
    TraceText trace = trace(params.textDocument());
    if (trace == null) {
      return null;
    }
    List<InlayHint> hints = new ArrayList<>();
    int last = Math.min(params.range().end().line(), trace.size() - 1);
    for (int line = Math.max(0, params.range().start().line()); line <= last; line++) {
      for (TraceMessage message : trace.facts(line).messages()) {
        Exchange exchange = trace.pairing().exchangeOf(message);
        if (message.isRequest() && exchange != null && hints.size() < MOST_SYMBOLS) {
          Position behind = new Position(line, message.methodTo());
          hints.add(
              new InlayHint(behind, InlayHintLabel.of(exchange.outcome())).withPaddingLeft(true));
        }
      }
    }
    return hints;
  }

  // ---------------------------------------------------------------- places

  /** Returns the trace; refuses a document that is not open, or has no known text. */
  private @Nullable TraceText trace(TextDocumentIdentifier document) {
    return traces.get(documents.get(document.uri()).uri());
  }

  private @Nullable Exchange exchange(TextDocumentIdentifier document, Position position) {
    TraceText trace = trace(document);
    return trace == null ? null : trace.exchangeAt(position);
  }

  /** Returns the range of the method of a message, or of its id if it has no method. */
  private static Range range(Exchange.Part part) {
    TraceMessage message = part.message();
    return message.isResponse()
        ? range(part.line(), message.idFrom(), message.idTo())
        : range(part.line(), message.methodFrom(), message.methodTo());
  }

  private static Range range(int line, int from, int to) {
    return new Range(new Position(line, from), new Position(line, to));
  }
}

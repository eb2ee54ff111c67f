package dev.repartee.lsp.documents;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.lsp.types.DiagnosticServerCancellationData;
import dev.repartee.lsp.types.DidChangeTextDocumentParams;
import dev.repartee.lsp.types.DidCloseTextDocumentParams;
import dev.repartee.lsp.types.DidOpenTextDocumentParams;
import dev.repartee.lsp.types.GeneralClientCapabilities;
import dev.repartee.lsp.types.InitializeParams;
import dev.repartee.lsp.types.LSPErrorCodes;
import dev.repartee.lsp.types.PositionEncodingKind;
import dev.repartee.lsp.types.ServerCapabilities;
import dev.repartee.lsp.types.TextDocumentContentChangeEvent;
import dev.repartee.lsp.types.TextDocumentContentChangePartial;
import dev.repartee.lsp.types.TextDocumentItem;
import dev.repartee.lsp.types.TextDocumentSyncKind;
import dev.repartee.lsp.types.TextDocumentSyncOptions;
import dev.repartee.message.RpcError;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The documents that one client has open, in their last versions. A server that implements {@link
 * TextDocumentSyncHandler} has an object of this class for each connection.
 *
 * <p>Thread-safe: notifications change the documents in order, while requests read them. A handler
 * should get a document once, and thereby work on one version.
 *
 * <p>A change that cannot be applied, for example at a position outside of the document, is
 * refused. From then on the text is unknown, and {@link #get} refuses the document, too, until the
 * client sends the whole text again.
 */
public final class TextDocuments implements Layer {
  /** The default maximum number of {@code char}s of all documents: 64 Mi. */
  public static final long DEFAULT_LIMIT = 64L << 20;

  /** The cost of a document in addition to its text and its URI. */
  private static final int OVERHEAD = 256;

  /**
   * A document.
   *
   * @param document the last version; without a text if that is unknown
   * @param lost the reason why the text is unknown; null if it is known
   */
  private record State(TextDocument document, @Nullable String lost) {
    long cost() {
      return (long) document.uri().length() + document.length() + OVERHEAD;
    }
  }

  private final long limit;

  /** Written under the lock of this object. */
  private final Map<String, State> states = new ConcurrentHashMap<>();

  /** The cost of all documents; guarded by this. */
  private long held;

  /** The methods of requests that a change cancels. */
  private final Set<String> cancellable = ConcurrentHashMap.newKeySet();

  /** The running requests of these methods by URI; guarded by itself. */
  private final Map<String, Set<Call>> running = new HashMap<>();

  private volatile Encoding encoding = Encoding.UTF_16;

  /** Creates an empty store with the default limit. */
  public TextDocuments() {
    this(DEFAULT_LIMIT);
  }

  /**
   * Creates an empty store.
   *
   * @param limit the maximum number of {@code char}s of all documents and their URIs; for each
   *     document, 256 more are counted. A document that exceeds the limit is refused
   */
  public TextDocuments(long limit) {
    this.limit = limit;
  }

  // ---------------------------------------------------------------- the client

  /**
   * Returns capabilities for the answer to {@code initialize}: incremental synchronisation, and the
   * encoding of positions. It is the first one in the client's list that is known, or UTF-16.
   */
  public ServerCapabilities capabilities(InitializeParams params) {
    GeneralClientCapabilities general = params.capabilities().general();
    encoding = Encoding.choose(general == null ? null : general.positionEncodings());
    return new ServerCapabilities()
        .withPositionEncoding(encoding.kind)
        .withTextDocumentSync(new TextDocumentSyncOptions()
            .withOpenClose(true)
            .withChange(TextDocumentSyncKind.INCREMENTAL));
  }

  /**
   * Opens a document. One with the same URI is replaced.
   *
   * @throws RpcException request failed (-32803) if there is no room for the document
   */
  public TextDocument open(DidOpenTextDocumentParams params) {
    TextDocumentItem item = params.textDocument();
    TextDocument document = TextDocument.of(item, encoding.kind);
    String refusal;
    synchronized (this) {
      refusal = store(document);
    }
    cancelRunning(item.uri());
    if (refusal != null) {
      throw failed(refusal);
    }
    return document;
  }

  /**
   * Changes a document, and cancels the requests that {@link #cancelOnChange} has named.
   *
   * @throws RpcException invalid params (-32602) if the document is not open, or a position is
   *     outside of it; request failed (-32803) if its text is unknown, or there is no room
   */
  public TextDocument change(DidChangeTextDocumentParams params) {
    String uri = params.textDocument().uri();
    try {
      return store(uri, params.textDocument().version(), params.contentChanges());
    } finally {
      cancelRunning(uri);
    }
  }

  private synchronized TextDocument store(
      String uri, int version, List<TextDocumentContentChangeEvent> changes) {
    State known = states.get(uri);
    if (known == null) {
      throw notOpen(uri);
    }
    if (known.lost != null
        && (changes.isEmpty() || changes.get(0) instanceof TextDocumentContentChangePartial)) {
      throw failed(known.lost);
    }
    TextDocument changed;
    try {
      changed = known.document.change(version, changes);
    } catch (RpcException e) {
      lose(
          known.document,
          "the text of " + uri + " is unknown, because the change to version " + version
              + " was refused: open it again, or send the whole text");
      throw e;
    }
    String refusal = store(changed);
    if (refusal != null) {
      throw failed(refusal);
    }
    return changed;
  }

  /** Replaces the last version of a document; returns the reason if there is no room. */
  private @Nullable String store(TextDocument document) {
    State known = states.get(document.uri());
    State next = new State(document, null);
    long total = held - (known == null ? 0 : known.cost()) + next.cost();
    if (total > limit) {
      String refusal = "no room for " + document.uri() + " with " + document.length()
          + " characters: the open documents may have " + limit + " together";
      lose(document, refusal);
      return refusal;
    }
    states.put(document.uri(), next);
    held = total;
    return null;
  }

  /** Drops the text of a document. */
  private void lose(TextDocument document, String why) {
    State known = states.remove(document.uri());
    held -= known == null ? 0 : known.cost();
    State lost = new State(document.withoutText(), why);
    if (held + lost.cost() <= limit) {
      states.put(document.uri(), lost);
      held += lost.cost();
    }
  }

  /** Closes a document. Does nothing if it is not open. */
  public void close(DidCloseTextDocumentParams params) {
    synchronized (this) {
      State known = states.remove(params.textDocument().uri());
      held -= known == null ? 0 : known.cost();
    }
    cancelRunning(params.textDocument().uri());
  }

  // ---------------------------------------------------------------- the server

  /** Returns the encoding of positions; UTF-16 before {@code initialize}. */
  public PositionEncodingKind encoding() {
    return encoding.kind;
  }

  /**
   * Returns the last version of a document.
   *
   * @throws RpcException invalid params (-32602) if it is not open, and request failed (-32803) if
   *     its text is unknown. A handler should pass it on to the client
   */
  public TextDocument get(String uri) {
    State known = states.get(uri);
    if (known == null) {
      throw notOpen(uri);
    }
    if (known.lost != null) {
      throw failed(known.lost);
    }
    return known.document;
  }

  /** Returns the last version of a document; null if it is not open, or its text is unknown. */
  public @Nullable TextDocument find(String uri) {
    State known = states.get(uri);
    return known == null || known.lost != null ? null : known.document;
  }

  /** Returns a snapshot of the last versions of all documents with a known text. */
  public synchronized Collection<TextDocument> all() {
    return states.values().stream()
        .filter(state -> state.lost == null)
        .map(State::document)
        .toList();
  }

  /** Returns whether this is the last version of its document. */
  public boolean isCurrent(TextDocument document) {
    return find(document.uri()) == document;
  }

  /**
   * Cancels the running requests of these methods about a document when the document changes: they
   * are answered immediately with {@code ContentModified} (-32801), or for diagnostics with
   * {@code ServerCancelled} (-32802) and the advice to ask again. The handler finds its
   * {@link Call#cancellation} cancelled; a later result is dropped.
   *
   * <p>Choose methods that run long, and whose result is useless for another version.
   *
   * @param methods such as {@code textDocument/diagnostic}
   * @return this object
   */
  public TextDocuments cancelOnChange(String... methods) {
    cancellable.addAll(List.of(methods));
    return this;
  }

  /**
   * Records the requests that a change cancels. {@code LspServer} puts this layer around the
   * handlers of a {@link TextDocumentSyncHandler}.
   */
  @Override
  public @Nullable Object handle(Call call, Handler next) throws Exception {
    String uri = call.id() == null || !cancellable.contains(call.method()) ? null : uri(call);
    if (uri == null) {
      return next.handle(call);
    }
    synchronized (running) {
      running.computeIfAbsent(uri, each -> new HashSet<>()).add(call);
    }
    return Layer.whenDone(call, next, (result, failure) -> {
      synchronized (running) {
        Set<Call> calls = running.get(uri);
        if (calls != null && calls.remove(call) && calls.isEmpty()) {
          running.remove(uri);
        }
      }
    });
  }

  private static @Nullable String uri(Call call) {
    Json document = call.params() == null ? null : call.params().get("textDocument");
    return document == null ? null : document.string("uri");
  }

  private void cancelRunning(String uri) {
    List<Call> stale;
    synchronized (running) {
      Set<Call> calls = running.remove(uri);
      stale = calls == null ? List.of() : new ArrayList<>(calls);
    }
    for (Call call : stale) {
      call.cancel(
          call.method().equals("textDocument/diagnostic")
              ? new RpcError(
                  LSPErrorCodes.SERVER_CANCELLED.value(),
                  "Server cancelled",
                  Json.of(new DiagnosticServerCancellationData(true)))
              : new RpcError(LSPErrorCodes.CONTENT_MODIFIED.value(), "Content modified"));
    }
  }

  private static RpcException notOpen(String uri) {
    return new RpcException(RpcError.INVALID_PARAMS, Objects.requireNonNull(uri) + " is not open");
  }

  private static RpcException failed(String why) {
    return new RpcException(LSPErrorCodes.REQUEST_FAILED.value(), why);
  }
}

package dev.repartee.mcp.lsp;

import dev.repartee.CallFuture;
import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.lsp.LspClient;
import dev.repartee.lsp.types.ClientCapabilities;
import dev.repartee.lsp.types.ClientInfo;
import dev.repartee.lsp.types.ClientSymbolKindOptions;
import dev.repartee.lsp.types.DefinitionClientCapabilities;
import dev.repartee.lsp.types.DiagnosticClientCapabilities;
import dev.repartee.lsp.types.DidChangeConfigurationParams;
import dev.repartee.lsp.types.DocumentSymbolClientCapabilities;
import dev.repartee.lsp.types.GeneralClientCapabilities;
import dev.repartee.lsp.types.HoverClientCapabilities;
import dev.repartee.lsp.types.InitializeParams;
import dev.repartee.lsp.types.InitializedParams;
import dev.repartee.lsp.types.MarkupKind;
import dev.repartee.lsp.types.Position;
import dev.repartee.lsp.types.PositionEncodingKind;
import dev.repartee.lsp.types.PublishDiagnosticsClientCapabilities;
import dev.repartee.lsp.types.SymbolKind;
import dev.repartee.lsp.types.TextDocumentClientCapabilities;
import dev.repartee.lsp.types.TextDocumentIdentifier;
import dev.repartee.lsp.types.TextDocumentSyncClientCapabilities;
import dev.repartee.lsp.types.WindowClientCapabilities;
import dev.repartee.lsp.types.WorkspaceClientCapabilities;
import dev.repartee.lsp.types.WorkspaceEditClientCapabilities;
import dev.repartee.lsp.types.WorkspaceFolder;
import dev.repartee.lsp.types.WorkspaceSymbolClientCapabilities;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.workspace.RemoteFailure;
import dev.repartee.mcp.workspace.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A running language server that was initialized, with its open documents. Thread-safe. */
final class Session implements AutoCloseable {
  private static final int CONTENT_MODIFIED = -32801;
  private static final int SERVER_CANCELLED = -32802;

  /**
   * The maximum number of versions of a file that are searched for a position before the request is
   * sent.
   */
  private static final int MAX_TEXTS = 10;

  private static final RemoteFailure FAILURE = new RemoteFailure(
      "language server",
      "It may still be busy; call the tool again later.",
      "The next call starts it again.",
      e -> e.error().message());

  /** Without these, servers replace kinds that LSP 1.0 did not have: a struct becomes a class. */
  private static final ClientSymbolKindOptions ALL_KINDS = new ClientSymbolKindOptions()
      .withValueSet(IntStream.rangeClosed(1, 26).mapToObj(SymbolKind::of).toList());

  private final Setup setup;
  private final LspClient client;
  private final Editor editor;
  private final Features features = new Features();
  private final Published published = new Published();
  private final Documents documents;
  private volatile boolean initialized;

  private Session(Setup setup, Consumer<Features> changed) throws IOException {
    this.setup = setup;
    this.editor = new Editor(
        List.of(folder(setup.workspace())),
        setup.settings(),
        setup.notices(),
        published,
        features,
        () -> {
          if (initialized) {
            changed.accept(features);
          }
        });
    this.client = LspClient.connect(setup.uri(), editor, setup.options());
    this.documents =
        new Documents(setup.workspace(), client.async(), features, published, setup.maxOpen());
  }

  /**
   * The constant parts of all sessions.
   *
   * @param uri the endpoint of the server
   * @param options the options of its connections
   * @param settings the settings for {@code workspace/configuration}, or null
   * @param initialization the {@code initializationOptions}, or null
   * @param maxOpen the maximum number of open documents
   */
  record Setup(
      String uri,
      dev.repartee.Options options,
      Workspace workspace,
      @Nullable Json settings,
      @Nullable Json initialization,
      int maxOpen,
      Notices notices) {}

  /**
   * Starts a server and waits until it is initialized.
   *
   * @param changed gets the features when the server has registered or removed features
   * @throws IOException if it cannot be started, or does not answer {@code initialize} with success
   */
  static Session start(Setup setup, Consumer<Features> changed) throws IOException {
    Session session = new Session(setup, changed);
    try {
      session.initialize();
      return session;
    } catch (RpcException e) {
      session.client.peer().close();
      throw new IOException(
          "the language server refuses to start: " + e.error().message() + " (" + e.code() + ")",
          e);
    } catch (RuntimeException e) {
      session.client.peer().close();
      throw new IOException("no language server: " + e.getMessage(), e);
    }
  }

  private void initialize() {
    Json answer = client.peer().request("initialize").params(params()).call(Json.class);
    Json capabilities = answer.get("capabilities");
    features.announced(capabilities == null ? Json.EMPTY_OBJECT : capabilities);
    initialized = true;
    client.server().initialized(new InitializedParams());
    if (setup.settings() != null) {
      client.server().didChangeConfiguration(new DidChangeConfigurationParams(setup.settings()));
    }
  }

  private InitializeParams params() {
    WorkspaceFolder folder = folder(setup.workspace());
    InitializeParams params = new InitializeParams(
            (int) ProcessHandle.current().pid(), folder.uri(), capabilities())
        .withClientInfo(new ClientInfo("repartee", null))
        .withRootPath(setup.workspace().root().toString())
        .withWorkspaceFolders(List.of(folder));
    return setup.initialization() == null
        ? params
        : params.withInitializationOptions(setup.initialization());
  }

  /**
   * Returns the capabilities of the client. Dynamic registration is not among them, so that servers
   * announce their features before the first list of tools.
   */
  private static ClientCapabilities capabilities() {
    return new ClientCapabilities()
        .withGeneral(new GeneralClientCapabilities().withPositionEncodings(Features.ENCODINGS))
        .withWindow(new WindowClientCapabilities().withWorkDoneProgress(true))
        .withWorkspace(new WorkspaceClientCapabilities()
            .withConfiguration(true)
            .withWorkspaceFolders(true)
            .withSymbol(new WorkspaceSymbolClientCapabilities().withSymbolKind(ALL_KINDS))
            .withWorkspaceEdit(new WorkspaceEditClientCapabilities().withDocumentChanges(true)))
        .withTextDocument(new TextDocumentClientCapabilities()
            .withSynchronization(new TextDocumentSyncClientCapabilities().withDidSave(true))
            .withHover(new HoverClientCapabilities()
                .withContentFormat(List.of(MarkupKind.MARKDOWN, MarkupKind.PLAIN_TEXT)))
            .withDefinition(new DefinitionClientCapabilities().withLinkSupport(true))
            .withDocumentSymbol(new DocumentSymbolClientCapabilities()
                .withSymbolKind(ALL_KINDS)
                .withHierarchicalDocumentSymbolSupport(true))
            .withDiagnostic(new DiagnosticClientCapabilities())
            .withPublishDiagnostics(
                new PublishDiagnosticsClientCapabilities().withVersionSupport(true)));
  }

  private static WorkspaceFolder folder(Workspace workspace) {
    return new WorkspaceFolder(workspace.root().toUri().toString(), workspace.name());
  }

  boolean isOpen() {
    return client.peer().isOpen();
  }

  Workspace workspace() {
    return setup.workspace();
  }

  Notices notices() {
    return setup.notices();
  }

  Features features() {
    return features;
  }

  PositionEncodingKind encoding() {
    return features.encoding();
  }

  Documents documents() {
    return documents;
  }

  Published published() {
    return published;
  }

  /** Returns the title of a background activity of the server, or null. */
  @Nullable String activity() {
    return editor.activity();
  }

  /**
   * Calls the server about a position in a file, as {@link #ask(McpCall, String, Class, Supplier)}
   * does.
   *
   * @param position finds the position in the text. It may need a long time and runs without the
   *     lock
   * @param params creates the params
   * @throws ToolException also if the file changes continuously
   */
  <T> @Nullable T ask(
      McpCall call,
      String method,
      Class<T> type,
      Path file,
      Function<Documents.Document, Position> position,
      BiFunction<TextDocumentIdentifier, Position, Object> params)
      throws InterruptedException {
    return repeated(method, call, () -> {
      for (int i = 0; i < MAX_TEXTS; i++) {
        Documents.Document document = documents.open(file);
        Position found = position.apply(document);
        call.cancellation().throwIfCancelled();
        synchronized (documents) {
          if (documents.isCurrent(document)) {
            return send(method, type, params.apply(document.id(), found));
          }
        }
      }
      throw new ToolException(
          "'" + workspace().shown(file) + "' changes all the time; call the tool again later.");
    });
  }

  /**
   * Calls the server and waits for its answer. A call that the server cancels because of changes is
   * repeated once.
   *
   * @param params creates the params, under the lock of the documents: this ensures that the server
   *     has the texts that they refer to before it receives the request
   * @return null if the server answers null
   * @throws ToolException if the server does not answer, or answers with an error
   */
  <T> @Nullable T ask(McpCall call, String method, Class<T> type, Supplier<Object> params)
      throws InterruptedException {
    return repeated(method, call, () -> {
      synchronized (documents) {
        return send(method, type, params.get());
      }
    });
  }

  private <T> CallFuture<T> send(String method, Class<T> type, Object params) {
    return client.peer().request(method).params(params).send(type);
  }

  private <T extends @Nullable Object> T repeated(
      String method, McpCall call, Supplier<CompletableFuture<T>> attempt)
      throws InterruptedException {
    try {
      return setup.notices().await(call, attempt);
    } catch (RpcException e) {
      if (e.code() != CONTENT_MODIFIED && e.code() != SERVER_CANCELLED) {
        throw failure(method, e);
      }
    } catch (RuntimeException e) {
      throw failure(method, e);
    }
    try {
      return setup.notices().await(call, attempt);
    } catch (RuntimeException e) {
      throw failure(method, e);
    }
  }

  /** Converts a failure to an exception with a message for the model. */
  static RuntimeException failure(String method, RuntimeException failure) {
    return FAILURE.of(method, failure);
  }

  /** Ends the server normally, within ten seconds. */
  @Override
  public void close() {
    client.close();
  }
}

package dev.repartee.mcp.lsp;

import dev.repartee.Call;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.lsp.LanguageClientAware;
import dev.repartee.lsp.LspServer;
import dev.repartee.lsp.handlers.*;
import dev.repartee.lsp.types.*;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/** A language server in this process with answers from a test. */
public final class FakeServer
    implements InitializeHandler,
        InitializedHandler,
        DidOpenTextDocumentHandler,
        DidChangeTextDocumentHandler,
        DidCloseTextDocumentHandler,
        DidSaveTextDocumentHandler,
        DidChangeConfigurationHandler,
        DidChangeWatchedFilesHandler,
        LanguageClientAware {
  /** Answers a request. */
  @FunctionalInterface
  interface Answer {
    Object to(Json params, Call call) throws Exception;
  }

  /** The settings of a test and its observations; the same for all connections. */
  static final class Script {
    final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    final BlockingQueue<LanguageClient> clients = new LinkedBlockingQueue<>();
    final Map<String, Answer> answers = new ConcurrentHashMap<>();
    volatile Json capabilities = Json.parse("{\"textDocumentSync\":1,\"hoverProvider\":true}");
    volatile boolean publishes = true;
    volatile InitializeParams initialize =
        new InitializeParams(null, null, new ClientCapabilities());

    Server listen() throws IOException {
      return LspServer.listen(
          "tcp://127.0.0.1:0", () -> new FakeServer(this), LspServer.options().build());
    }
  }

  private final Script script;
  private volatile LanguageClient client;

  FakeServer(Script script) {
    this.script = script;
  }

  @Override
  public void connect(LanguageClient client) {
    this.client = client;
    script.clients.add(client);
  }

  @Override
  public InitializeResult initialize(InitializeParams params) {
    script.initialize = params;
    script.seen.add("initialize");
    return new InitializeResult(script.capabilities.as(ServerCapabilities.class));
  }

  @Override
  public void initialized(InitializedParams params) {
    script.seen.add("initialized");
  }

  @Override
  public void didOpenTextDocument(DidOpenTextDocumentParams params) {
    TextDocumentItem document = params.textDocument();
    script.seen.add("open " + name(document.uri()) + " " + document.languageId().value() + " "
        + document.version() + " " + document.text());
    publish(document.uri(), document.version(), document.text());
  }

  @Override
  public void didChangeTextDocument(DidChangeTextDocumentParams params) {
    VersionedTextDocumentIdentifier document = params.textDocument();
    String text =
        ((TextDocumentContentChangeWholeDocument) params.contentChanges().get(0)).text();
    script.seen.add("change " + name(document.uri()) + " " + document.version() + " " + text);
    publish(document.uri(), document.version(), text);
  }

  /** Publishes a problem for the first line that contains {@code bad}. */
  private void publish(String uri, int version, String text) {
    if (script.publishes) {
      List<String> lines = text.lines().toList();
      List<Diagnostic> found = java.util.stream.IntStream.range(0, lines.size())
          .filter(i -> lines.get(i).contains("bad"))
          .mapToObj(
              i -> new Diagnostic(new Range(new Position(i, 0), new Position(i, 3)), "this is bad"))
          .toList();
      client.publishDiagnostics(new PublishDiagnosticsParams(uri, version, found));
    }
  }

  @Override
  public void didCloseTextDocument(DidCloseTextDocumentParams params) {
    script.seen.add("close " + name(params.textDocument().uri()));
  }

  @Override
  public void didSaveTextDocument(DidSaveTextDocumentParams params) {
    script.seen.add("save " + name(params.textDocument().uri()));
  }

  @Override
  public void didChangeConfiguration(DidChangeConfigurationParams params) {
    script.seen.add("configuration " + params.settings());
  }

  @Override
  public void didChangeWatchedFiles(DidChangeWatchedFilesParams params) {
    params.changes().forEach(change -> script.seen.add("watched " + name(change.uri())));
  }

  /** Serves a request. */
  @Rpc(value = "textDocument/hover", paramsObject = true)
  public Object hover(Json params, Call call) throws Exception {
    return answer(params, call);
  }

  /** Serves a request. */
  @Rpc(value = "textDocument/definition", paramsObject = true)
  public Object definition(Json params, Call call) throws Exception {
    return answer(params, call);
  }

  /** Serves a request. */
  @Rpc(value = "textDocument/declaration", paramsObject = true)
  public Object declaration(Json params, Call call) throws Exception {
    return answer(params, call);
  }

  /** Serves a request. */
  @Rpc(value = "textDocument/typeDefinition", paramsObject = true)
  public Object typeDefinition(Json params, Call call) throws Exception {
    return answer(params, call);
  }

  /** Serves a request. */
  @Rpc(value = "textDocument/implementation", paramsObject = true)
  public Object implementation(Json params, Call call) throws Exception {
    return answer(params, call);
  }

  /** Serves a request. */
  @Rpc(value = "textDocument/references", paramsObject = true)
  public Object references(Json params, Call call) throws Exception {
    return answer(params, call);
  }

  /** Serves a request. */
  @Rpc(value = "textDocument/documentSymbol", paramsObject = true)
  public Object symbols(Json params, Call call) throws Exception {
    return answer(params, call);
  }

  /** Serves a request. */
  @Rpc(value = "textDocument/diagnostic", paramsObject = true)
  public Object diagnostic(Json params, Call call) throws Exception {
    return answer(params, call);
  }

  /** Serves a request. */
  @Rpc(value = "workspace/symbol", paramsObject = true)
  public Object workspaceSymbols(Json params, Call call) throws Exception {
    return answer(params, call);
  }

  /** Serves a request. */
  @Rpc(value = "textDocument/rename", paramsObject = true)
  public Object rename(Json params, Call call) throws Exception {
    return answer(params, call);
  }

  private Object answer(Json params, Call call) throws Exception {
    script.seen.add(call.method());
    Answer answer = script.answers.get(call.method());
    Object value = answer == null ? null : answer.to(params, call);
    return value instanceof String text ? Json.parse(text) : value == null ? Json.NULL : value;
  }

  private static String name(String uri) {
    return uri.substring(uri.lastIndexOf('/') + 1);
  }
}

package dev.repartee.lsp;

import static dev.repartee.testkit.RawConnection.withLength;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Call;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.lsp.handlers.*;
import dev.repartee.lsp.types.*;
import dev.repartee.testkit.RawConnection;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LspServerTest {
  private static class Todo
      implements InitializeHandler, DidOpenTextDocumentHandler, HoverHandler, LanguageClientAware {
    final CountDownLatch running = new CountDownLatch(1);
    private @Nullable LanguageClient client;
    private boolean fails;

    @Override
    public void connect(LanguageClient client) {
      this.client = client;
    }

    @Override
    public InitializeResult initialize(InitializeParams params) {
      if (params.rootUri() != null && !fails) {
        fails = true;
        throw new RpcException(-32803, "no such folder");
      }
      return new InitializeResult(new ServerCapabilities().withHoverProvider(true));
    }

    @Override
    public void didOpenTextDocument(DidOpenTextDocumentParams params) {
      client.publishDiagnostics(new PublishDiagnosticsParams(
          params.textDocument().uri(),
          List.of(
              new Diagnostic(new Range(new Position(0, 0), new Position(0, 4)), "still to do"))));
    }

    @Override
    public Hover hover(HoverParams params) {
      return new Hover(MarkedString.of("line " + params.position().line()));
    }

    @Rpc(value = "workspace/executeCommand", paramsObject = true)
    public void executeCommand(ExecuteCommandParams params, Call call) throws Exception {
      running.countDown();
      call.cancellation().sleep(java.time.Duration.ofMinutes(1));
    }
  }

  private static class Editor implements PublishDiagnosticsHandler {
    final BlockingQueue<PublishDiagnosticsParams> published = new LinkedBlockingQueue<>();

    @Override
    public void publishDiagnostics(PublishDiagnosticsParams params) {
      published.add(params);
    }
  }

  private final Todo todo = new Todo();
  private final Editor editor = new Editor();
  private Server server;
  private LspClient client;

  @BeforeEach
  void connect() throws IOException {
    server =
        LspServer.listen("tcp://127.0.0.1:0", () -> todo, LspServer.options().build());
    client = LspClient.connect(server.endpoint().bare().toString(), editor);
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private static InitializeParams params() {
    return new InitializeParams(null, null, new ClientCapabilities());
  }

  private static HoverParams at(int line) {
    return new HoverParams(new TextDocumentIdentifier("file:///a"), new Position(line, 0));
  }

  private void refuses(int code, Runnable request) {
    assertThatThrownBy(request::run)
        .isInstanceOfSatisfying(RpcException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void aSessionGoesFromInitializeToExit() throws Exception {
    InitializeResult initialized = client.server().initialize(params());
    client.server().initialized(new InitializedParams());
    client
        .server()
        .didOpenTextDocument(new DidOpenTextDocumentParams(
            new TextDocumentItem("file:///a", LanguageKind.JAVA, 1, "TODO")));

    assertThat(initialized.capabilities().hoverProvider()).isEqualTo(HoverProvider.of(true));
    assertThat(client.server().hover(at(3))).isEqualTo(new Hover(MarkedString.of("line 3")));
    assertThat(editor.published.poll(60, TimeUnit.SECONDS).diagnostics())
        .extracting(diagnostic -> diagnostic.message().text())
        .containsExactly("still to do");
    client.server().shutdown();
    client.server().exit();
    client
        .peer()
        .closed()
        .toCompletableFuture()
        .handle((closed, e) -> closed)
        .get(60, TimeUnit.SECONDS);
  }

  @Test
  void beforeInitializeRequestsAreRefusedAndNotificationsDropped() {
    refuses(-32002, () -> client.server().hover(at(1)));
    refuses(-32002, () -> client.server().shutdown());
    client
        .server()
        .didOpenTextDocument(new DidOpenTextDocumentParams(
            new TextDocumentItem("file:///a", LanguageKind.JAVA, 1, "TODO")));
    client.server().initialize(params());

    assertThat(client.server().hover(at(1))).isNotNull();
    assertThat(editor.published).isEmpty();
  }

  @Test
  void aServerIsInitializedOnce() {
    client.server().initialize(params());

    refuses(-32600, () -> client.server().initialize(params()));
  }

  @Test
  void afterAFailureInitializeMayBeRepeated() {
    InitializeParams unknown =
        new InitializeParams(null, "file:///unknown", new ClientCapabilities());

    refuses(-32803, () -> client.server().initialize(unknown));
    refuses(-32002, () -> client.server().hover(at(1)));
    client.server().initialize(params());
    assertThat(client.server().hover(at(1))).isNotNull();
  }

  @Test
  void afterShutdownRequestsAreRefused() {
    client.server().initialize(params());
    client.server().shutdown();

    refuses(-32600, () -> client.server().hover(at(1)));
    refuses(-32600, () -> client.server().shutdown());
  }

  @Test
  void anObjectThatCannotBeInitializedIsRefused() {
    assertThatThrownBy(() -> LspServer.run(editor))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Editor cannot be a language server: it does not implement"
            + " dev.repartee.lsp.handlers.InitializeHandler");
  }

  @Test
  void aCancelledRequestIsAnswered() throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      ask(raw, """
          {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,\
          "rootUri":null,"capabilities":{},"unknown":1}}""");
      raw.send(withLength("""
          {"jsonrpc":"2.0","id":"two","method":"workspace/executeCommand",\
          "params":{"command":"wait"}}"""));
      assertThat(todo.running.await(60, TimeUnit.SECONDS)).isTrue();

      Json answer = ask(raw, """
          {"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"two"}}""");

      assertThat(answer.get("id")).hasToString("\"two\"");
      assertThat(answer.get("error").get("code")).hasToString("-32800");
      Json shutdown = ask(raw, """
          {"jsonrpc":"2.0","id":3,"method":"shutdown","params":null}""");
      assertThat(shutdown.get("result")).hasToString("null");
      raw.send(withLength("""
          {"jsonrpc":"2.0","method":"exit"}"""));
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void theExitCodeIsZeroAfterShutdownOnly() throws Exception {
    assertThat(exitCode(peer -> {
          peer.proxy(LanguageServer.class).initialize(params());
          peer.proxy(LanguageServer.class).shutdown();
          peer.proxy(LanguageServer.class).exit();
        }))
        .isZero();
    assertThat(exitCode(peer -> {
          peer.proxy(LanguageServer.class).initialize(params());
          peer.proxy(LanguageServer.class).exit();
        }))
        .isOne();
    assertThat(exitCode(peer -> peer.proxy(LanguageServer.class).exit())).isOne();
    assertThat(exitCode(Peer::close)).isOne();
  }

  @Test
  void theServerEndsWithTheProcessOfItsClient() throws Exception {
    Process parent = new ProcessBuilder("sleep", "60").start();
    try {
      int code = exitCode(peer -> {
        LanguageServer server = peer.proxy(LanguageServer.class);
        server.initialize(new InitializeParams((int) parent.pid(), null, new ClientCapabilities()));
        server.initialized(new InitializedParams());
        assertThat(server.hover(at(1))).isNotNull();
        parent.destroyForcibly();
      });

      assertThat(code).isOne();
    } finally {
      parent.destroyForcibly();
    }
  }

  @Test
  void aProcessThatCannotBeSeenIsNotWatched() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();

    int code = exitCode(peer -> {
      LanguageServer server = peer.proxy(LanguageServer.class);
      server.initialize(new InitializeParams((int) ended.pid(), null, new ClientCapabilities()));
      server.initialized(new InitializedParams());
      assertThat(server.hover(at(1))).isNotNull();
      server.shutdown();
      server.exit();
    });

    assertThat(code).isZero();
  }

  @Test
  void aHeaderWithoutALengthIsExplainedAndOtherSessionsGoOn() throws Exception {
    client.server().initialize(params());
    try (RawConnection raw = new RawConnection(server)) {
      raw.send("Content-Type: x\r\n\r\n{}");

      Json answer = Json.parse(raw.body());
      assertThat(answer.get("id")).isEqualTo(Json.NULL);
      assertThat(answer.get("error").get("code")).hasToString("-32700");
      assertThat(answer.toString()).contains("Content-Length");
    }
    assertThat(client.server().hover(at(1))).isNotNull();
  }

  @Test
  void aLengthThatIsTooShortIsAnsweredAndOneThatIsTooLongWaitsForTheRest() throws Exception {
    client.server().initialize(params());
    try (RawConnection raw = new RawConnection(server)) {
      String request = """
          {"jsonrpc":"2.0","id":1,"method":"textDocument/hover"}""";
      Json answer = ask(raw, request.substring(0, request.length() - 5));
      assertThat(answer.get("error").get("code")).hasToString("-32700");
      assertThat(ask(raw, request).get("error").get("code")).hasToString("-32002");
    }
    try (RawConnection raw = new RawConnection(server)) {
      raw.send("Content-Length: 100\r\n\r\n{\"id\":1").endOutput();
      assertThat(Json.parse(raw.body()).get("error").get("code")).hasToString("-32700");
    }
    assertThat(client.server().hover(at(1))).isNotNull();
  }

  @Test
  void theAnswerNullToInitializeFailsTheCall() throws Exception {
    Service broken = Service.builder().method("initialize", call -> null).build();
    Options options = LspServer.options().build();
    try (Server listening = Repartee.listen("tcp://127.0.0.1:0", broken, options);
        Peer peer =
            LspClient.connect(listening.endpoint().bare().toString(), editor).peer()) {
      assertThatThrownBy(() -> peer.proxy(LanguageServer.class).initialize(params()))
          .isInstanceOf(JsonException.class)
          .hasMessage("the result of 'initialize': expected an object, got null");
    }
  }

  @Test
  void aServerThatWasStartedWithArgumentsHasOptions() throws Exception {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    Options options = LspServer.options()
        .layer((call, next) -> {
          seen.add(call.method());
          return next.handle(call);
        })
        .build();

    int code = exitCode(
        peer -> {
          peer.proxy(LanguageServer.class).initialize(params());
          peer.proxy(LanguageServer.class).exit();
        },
        address -> LspServer.run(
            new Todo(),
            new String[] {"--port", address.substring(address.lastIndexOf(':') + 1)},
            options));

    assertThat(code).isOne();
    assertThat(seen).contains("initialize");
  }

  /** Runs a server that connects to a client at an address. */
  private interface Run {
    int to(String address) throws IOException, InterruptedException;
  }

  private static int exitCode(Consumer<Peer> talk) throws Exception {
    return exitCode(
        talk, address -> LspServer.run(address, new Todo(), LspServer.options().build()));
  }

  /**
   * A client that listens, like a client that has started the server with {@code --socket=PORT}.
   */
  private static int exitCode(Consumer<Peer> talk, Run server) throws Exception {
    CompletableFuture<Peer> connected = new CompletableFuture<>();
    try (Server listening = Repartee.listen(
        "tcp://127.0.0.1:0#framing=content-length",
        channel -> {
          Peer peer = Peer.open(channel, Service.NONE, LspServer.options().build());
          connected.complete(peer);
          return peer;
        },
        LspServer.options().build())) {
      CompletableFuture<Integer> code = CompletableFuture.supplyAsync(
          () -> {
            try {
              return server.to(listening.endpoint().bare().toString());
            } catch (IOException | InterruptedException e) {
              throw new IllegalStateException(e);
            }
          },
          work -> new Thread(work).start());
      talk.accept(connected.get(60, TimeUnit.SECONDS));
      return code.get(60, TimeUnit.SECONDS);
    }
  }

  private static Json ask(RawConnection raw, String message) throws IOException {
    return Json.parse(raw.send(withLength(message)).body());
  }
}

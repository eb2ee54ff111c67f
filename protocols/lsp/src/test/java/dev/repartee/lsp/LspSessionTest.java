package dev.repartee.lsp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Call;
import dev.repartee.RemoteRpcException;
import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.lsp.documents.TextDocument;
import dev.repartee.lsp.documents.TextDocumentSyncHandler;
import dev.repartee.lsp.documents.TextDocuments;
import dev.repartee.lsp.handlers.*;
import dev.repartee.lsp.types.*;
import dev.repartee.message.RpcError;
import dev.repartee.stream.Streamed;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LspSessionTest {
  private static final String URI = "file:///a";

  private static class Words
      implements InitializeHandler,
          TextDocumentSyncHandler,
          HoverHandler,
          TextDocumentContentHandler,
          LspSessionAware {
    final TextDocuments documents = new TextDocuments()
        .cancelOnChange("textDocument/semanticTokens/full", "textDocument/diagnostic");
    final CountDownLatch running = new CountDownLatch(1);
    final CompletableFuture<String> ended = new CompletableFuture<>();
    final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    volatile @Nullable LspSession session;

    @Override
    public void connect(LspSession session) {
      this.session = session;
    }

    @Override
    public TextDocuments documents() {
      return documents;
    }

    @Override
    public void changed(TextDocument document) {
      seen.add(document.text());
    }

    @Override
    public void closed(String uri) {
      seen.add("closed " + uri);
    }

    @Override
    public InitializeResult initialize(InitializeParams params) {
      return new InitializeResult(documents.capabilities(params).withHoverProvider(true));
    }

    @Override
    public Hover hover(HoverParams params) {
      TextDocument document = documents.get(params.textDocument().uri());
      int at = document.offset(params.position());
      return new Hover(new MarkupContent(MarkupKind.PLAIN_TEXT, document.text().substring(at)));
    }

    @Override
    public TextDocumentContentResult textDocumentContent(TextDocumentContentParams params) {
      return new TextDocumentContentResult("content of " + params.uri());
    }

    @Rpc(value = "textDocument/semanticTokens/full", paramsObject = true)
    public @Nullable SemanticTokens tokens(SemanticTokensParams params, Call call)
        throws Exception {
      return wait(call);
    }

    @Rpc(value = "textDocument/diagnostic", paramsObject = true)
    public @Nullable SemanticTokens diagnostic(DocumentDiagnosticParams params, Call call)
        throws Exception {
      return wait(call);
    }

    private @Nullable SemanticTokens wait(Call call) throws Exception {
      running.countDown();
      try {
        call.cancellation().sleep(Duration.ofMinutes(1));
        ended.complete("slept");
      } catch (CancellationException e) {
        ended.complete("cancelled");
        throw e;
      }
      return null;
    }

    @Rpc(value = "workspace/executeCommand", paramsObject = true)
    public void executeCommand(ExecuteCommandParams params, Call call) throws Exception {
      try (WorkDoneProgress progress = session.progress(call)) {
        progress.begin(
            new WorkDoneProgressBegin("Working").withCancellable(true).withPercentage(0));
        progress.report("half", 50);
        progress.report("a bit less", 40);
        if (params.command().equals("wait")) {
          wait(call);
        }
        progress.end("done");
      }
    }

    @Rpc(value = "textDocument/references", paramsObject = true)
    @Streamed(partialResults = true)
    public Stream<Location> references(ReferenceParams params) {
      return IntStream.range(0, 100).mapToObj(i -> {
        if (i == params.position().character()) {
          throw new RpcException(-params.position().line(), "enough");
        }
        return new Location(URI, new Range(new Position(i, 0), new Position(i, 1)));
      });
    }
  }

  private static class Editor
      implements WorkDoneProgressListener, LogTraceHandler, LogMessageHandler {
    final BlockingQueue<String> progress = new LinkedBlockingQueue<>();
    final BlockingQueue<String> log = new LinkedBlockingQueue<>();

    @Override
    public void began(ProgressToken token, WorkDoneProgressBegin begin) {
      progress.add("begin " + begin.title() + " " + begin.percentage());
    }

    @Override
    public void reported(ProgressToken token, WorkDoneProgressReport report) {
      progress.add(report.message() + " " + report.percentage());
    }

    @Override
    public void ended(ProgressToken token, WorkDoneProgressEnd end) {
      progress.add("end " + end.message());
    }

    @Override
    public void logTrace(LogTraceParams params) {
      log.add(params.message() + " " + params.verbose());
    }

    @Override
    public void logMessage(LogMessageParams params) {
      log.add(params.message());
    }
  }

  private final Words words = new Words();
  private final Editor editor = new Editor();
  private Server listening;
  private LspClient client;
  private LanguageServer server;

  @BeforeEach
  void connect() throws IOException {
    listening =
        LspServer.listen("tcp://127.0.0.1:0", () -> words, LspServer.options().build());
    client = LspClient.connect(listening.endpoint().bare().toString(), editor);
    server = client.server();
  }

  @AfterEach
  void close() {
    client.close();
    listening.close();
  }

  private void initialize() {
    initialize(new ClientCapabilities()
        .withWindow(new WindowClientCapabilities().withWorkDoneProgress(true)));
  }

  private void initialize(ClientCapabilities capabilities) {
    server.initialize(new InitializeParams(null, null, capabilities));
    server.initialized(new InitializedParams());
  }

  private void open(String text) {
    server.didOpenTextDocument(
        new DidOpenTextDocumentParams(new TextDocumentItem(URI, LanguageKind.JAVA, 1, text)));
  }

  private void change(int line, int character, String text) {
    Position at = new Position(line, character);
    server.didChangeTextDocument(new DidChangeTextDocumentParams(
        new VersionedTextDocumentIdentifier(URI, 2),
        List.of(new TextDocumentContentChangePartial(new Range(at, at), text))));
  }

  private String hover(int line, int character) {
    Hover hover = server.hover(
        new HoverParams(new TextDocumentIdentifier(URI), new Position(line, character)));
    return ((MarkupContent) hover.contents()).value();
  }

  private static void refuses(int code, String why, Runnable request) {
    assertThatThrownBy(request::run)
        .isInstanceOfSatisfying(RpcException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(why);
  }

  private static String next(BlockingQueue<String> queue) throws InterruptedException {
    return queue.poll(60, TimeUnit.SECONDS);
  }

  // ---------------------------------------------------------------- documents

  @Test
  void aRequestSeesTheChangesBeforeIt() throws Exception {
    initialize();
    open("one two");
    change(0, 4, "and ");

    assertThat(hover(0, 4)).isEqualTo("and two");
    server.didCloseTextDocument(new DidCloseTextDocumentParams(new TextDocumentIdentifier(URI)));
    refuses(-32602, "file:///a is not open", () -> hover(0, 0));
    assertThat(next(words.seen)).isEqualTo("one two");
    assertThat(next(words.seen)).isEqualTo("one and two");
    assertThat(next(words.seen)).isEqualTo("closed file:///a");
  }

  @Test
  void aPositionOutsideOfTheDocumentIsRefusedAndTheSessionGoesOn() throws Exception {
    initialize();
    open("one");

    refuses(-32602, "the position 5:0 is outside of file:///a", () -> hover(5, 0));
    assertThat(hover(0, 0)).isEqualTo("one");
    change(5, 0, "two");
    assertThat(next(editor.log))
        .startsWith("textDocument/didChange: the position 5:0 is outside of file:///a");
    refuses(-32803, "the text of file:///a is unknown", () -> hover(0, 0));
    open("new");
    assertThat(hover(0, 0)).isEqualTo("new");
  }

  @Test
  void anUnknownVariantInANotificationIsExplainedAndTheSessionGoesOn() throws Exception {
    initialize();

    client.peer().request("textDocument/didChange").params(Json.parse("""
        {"textDocument":{"uri":"file:///a","version":2},"contentChanges":[{"delete":7}]}\
        """)).sendNotification();
    assertThat(next(editor.log))
        .startsWith("textDocument/didChange: Invalid params: ")
        .contains("contentChanges");
    open("one");
    assertThat(hover(0, 0)).isEqualTo("one");
  }

  @Test
  void aChangeCancelsRequestsThatItMakesUseless() throws Exception {
    initialize();
    open("one");
    CompletableFuture<?> tokens =
        client.async().semanticTokens(new SemanticTokensParams(new TextDocumentIdentifier(URI)));
    assertThat(words.running.await(60, TimeUnit.SECONDS)).isTrue();

    change(0, 0, "two ");

    assertThatThrownBy(tokens::join)
        .hasCauseInstanceOf(RemoteRpcException.class)
        .hasMessageContaining("Content modified");
    assertThat(words.ended.get(60, TimeUnit.SECONDS)).isEqualTo("cancelled");
    assertThat(hover(0, 0)).isEqualTo("two one");
  }

  @Test
  void aChangeCancelsDiagnosticsWithTheAdviceToAskAgain() throws Exception {
    initialize();
    open("one");
    CompletableFuture<?> diagnostics = client
        .async()
        .documentDiagnostic(new DocumentDiagnosticParams(new TextDocumentIdentifier(URI)));
    assertThat(words.running.await(60, TimeUnit.SECONDS)).isTrue();

    change(0, 0, "two ");

    assertThatThrownBy(diagnostics::join).isInstanceOfSatisfying(CompletionException.class, e -> {
      RpcError error = ((RpcException) e.getCause()).error();
      assertThat(error.code()).isEqualTo(-32802);
      assertThat(error.data()).hasToString("{\"retriggerRequest\":true}");
    });
  }

  // ---------------------------------------------------------------- progress

  private ExecuteCommandParams command(String name) {
    return new ExecuteCommandParams(name).withWorkDoneToken(ProgressToken.of(7));
  }

  @Test
  void aRequestReportsItsProgressUnderTheTokenOfTheClient() throws Exception {
    initialize();

    server.executeCommand(command("go"));

    assertThat(next(editor.progress)).isEqualTo("begin Working 0");
    assertThat(next(editor.progress)).isEqualTo("half 50");
    assertThat(next(editor.progress)).isEqualTo("a bit less 50");
    assertThat(next(editor.progress)).isEqualTo("end done");
    server.executeCommand(new ExecuteCommandParams("go"));
    assertThat(editor.progress).isEmpty();
  }

  @Test
  void cancellingTheProgressCancelsTheRequest() throws Exception {
    initialize();
    CompletableFuture<?> call = client.async().executeCommand(command("wait"));
    assertThat(words.running.await(60, TimeUnit.SECONDS)).isTrue();

    server.workDoneProgressCancel(new WorkDoneProgressCancelParams(ProgressToken.of("7")));
    server.workDoneProgressCancel(new WorkDoneProgressCancelParams(ProgressToken.of(7)));

    assertThatThrownBy(call::join)
        .isInstanceOfSatisfying(
            CompletionException.class,
            e -> assertThat(((RpcException) e.getCause()).code()).isEqualTo(-32800));
    assertThat(words.ended.get(60, TimeUnit.SECONDS)).isEqualTo("cancelled");
  }

  @Test
  void theServerCreatesProgressOfItsOwn() throws Exception {
    initialize();
    hover404();
    CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
    try (WorkDoneProgress progress = words.session.createProgress()) {
      progress.begin("Indexing");
      progress.onCancel(() -> cancelled.complete(progress.isCancelled()));
      server.workDoneProgressCancel(new WorkDoneProgressCancelParams(progress.token()));
      assertThat(cancelled.get(60, TimeUnit.SECONDS)).isTrue();
    }

    assertThat(next(editor.progress)).isEqualTo("begin Indexing null");
    assertThat(next(editor.progress)).isEqualTo("end null");
  }

  /** Waits until the server has handled the earlier messages. */
  private void hover404() {
    refuses(-32602, "is not open", () -> hover(0, 0));
  }

  @Test
  void aClientWithoutProgressGetsNone() throws Exception {
    server.initialize(new InitializeParams(null, null, new ClientCapabilities()));

    try (WorkDoneProgress progress = words.session.createProgress()) {
      progress.begin("Indexing");
      progress.report("a.txt", 10);
    }
    hover404();
    assertThat(editor.progress).isEmpty();
  }

  @Test
  void aProgressBeginsOnceAndIsReportedAfterThat() {
    WorkDoneProgress progress = WorkDoneProgress.none();

    assertThatThrownBy(() -> progress.report("early", 1)).hasMessage("the progress has not begun");
    progress.begin("x");
    assertThatThrownBy(() -> progress.begin("x")).hasMessage("the progress has begun before");
    progress.end("y");
    progress.report("late", 1);
  }

  // ---------------------------------------------------------------- partial results

  private ReferenceParams references(int failsAt, int code) {
    return new ReferenceParams(
        new TextDocumentIdentifier(URI),
        new Position(-code, failsAt), // a line is not negative
        new ReferenceContext(true));
  }

  @Test
  void partialResultsArriveAsAStreamBesideOtherProgress() throws Exception {
    initialize();

    PartialResults<Location> all = client
        .collect("textDocument/references", references(1_000, 0), Location.class)
        .get(60, TimeUnit.SECONDS);

    assertThat(all.isComplete()).isTrue();
    assertThat(all.items()).hasSize(100);
    assertThat(all.items().get(99).range().start()).isEqualTo(new Position(99, 0));
    server.executeCommand(command("go"));
    assertThat(next(editor.progress)).isEqualTo("begin Working 0");
  }

  @Test
  void withoutATokenTheResultIsOneArray() {
    initialize();

    assertThat(server.references(references(1_000, 0))).hasSize(100);
  }

  @Test
  void theItemsBeforeACancellationAreKeptAndThoseBeforeAnErrorAreNot() throws Exception {
    initialize();

    PartialResults<Location> some = client
        .collect("textDocument/references", references(10, -32802), Location.class)
        .get(60, TimeUnit.SECONDS);
    assertThat(some.isComplete()).isFalse();
    assertThat(some.items()).hasSize(10);
    assertThatThrownBy(() -> client
            .collect("textDocument/references", references(10, -32803), Location.class)
            .get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(RemoteRpcException.class);
  }

  // ---------------------------------------------------------------- traces and registration

  @Test
  void tracesAreSentAsTheClientWantsThem() throws Exception {
    initialize();
    words.session.logTrace("not wanted", () -> "details");
    server.setTrace(new SetTraceParams(TraceValue.MESSAGES));
    hover404();
    words.session.logTrace("short", () -> "details");
    server.setTrace(new SetTraceParams(TraceValue.VERBOSE));
    hover404();
    words.session.logTrace("long", () -> "details");

    assertThat(next(editor.log)).isEqualTo("short null");
    assertThat(next(editor.log)).isEqualTo("long details");
    assertThat(words.session.trace()).isEqualTo(TraceValue.VERBOSE);
  }

  @Test
  void theClientKnowsWhatTheServerHasRegistered() {
    initialize();
    hover404();

    DynamicRegistration watching = words.session.register(
        "workspace/didChangeWatchedFiles", new DidChangeWatchedFilesRegistrationOptions(List.of()));
    DynamicRegistration formatting = words.session.register("textDocument/formatting", null);

    assertThat(client.registrations())
        .extracting(Registration::id)
        .containsExactly(watching.id(), formatting.id());
    assertThat(client.registrations("workspace/didChangeWatchedFiles"))
        .singleElement()
        .satisfies(each -> assertThat(each.registerOptions()).hasToString("{\"watchers\":[]}"));
    watching.close();
    watching.close();
    assertThat(client.registrations())
        .extracting(Registration::method)
        .containsExactly("textDocument/formatting");
  }

  // ---------------------------------------------------------------- unknown messages

  @Test
  void unknownMessagesFollowTheLifecycle() {
    refuses(-32002, "not initialized", () -> call("my/method"));
    refuses(-32601, "Method not found", () -> call("$/my"));
    client.peer().request("$/mine").sendNotification();
    client.peer().request("mine").sendNotification();
    initialize();
    client.peer().request("$/mine").sendNotification();
    client.peer().request("mine").sendNotification();
    refuses(-32601, "Method not found", () -> call("my/method"));
    refuses(-32601, "Method not found", () -> call("$/my"));
    server.shutdown();
    refuses(-32600, "shut down", () -> call("my/method"));
    refuses(-32601, "Method not found", () -> call("$/my"));
  }

  private void call(String method) {
    client.peer().request(method).call(Json.class);
  }

  // ---------------------------------------------------------------- markup

  private static final MarkupContent MARKUP = new MarkupContent(MarkupKind.MARKDOWN, "unused `x`");

  @Test
  void aClientThatShowsMarkupInDiagnosticsGetsTheMarkup() {
    initialize(new ClientCapabilities()
        .withTextDocument(new TextDocumentClientCapabilities()
            .withDiagnostic(new DiagnosticClientCapabilities().withMarkupMessageSupport(true))));
    assertThat(words.session.diagnosticMessage(MARKUP, "unused x")).isEqualTo(MARKUP);
  }

  @Test
  void aClientThatShowsNoMarkupInDiagnosticsGetsThePlainText() {
    initialize(new ClientCapabilities()
        .withTextDocument(new TextDocumentClientCapabilities()
            .withDiagnostic(new DiagnosticClientCapabilities())));
    assertThat(words.session.diagnosticMessage(MARKUP, "unused x"))
        .isEqualTo(StringOrMarkupContent.of("unused x"));
  }

  @Test
  void aServerProvidesTheContentOfADocument() {
    initialize();
    assertThat(server
            .textDocumentContent(new TextDocumentContentParams("words:all"))
            .text())
        .isEqualTo("content of words:all");
  }
}

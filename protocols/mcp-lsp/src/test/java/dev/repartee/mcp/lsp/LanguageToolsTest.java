package dev.repartee.mcp.lsp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.ClockOptions;
import dev.repartee.RpcException;
import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import dev.repartee.lsp.LspServer;
import dev.repartee.lsp.handlers.LanguageClient;
import dev.repartee.lsp.types.*;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.workspace.Workspace;
import dev.repartee.testkit.fault.FaultProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A language server of the test, asked by an MCP client of the test. */
@Timeout(60)
class LanguageToolsTest extends LanguageToolsFixture {
  // ---------------------------------------------------------------- tools

  @Test
  void onlyToolsThatTheServerAnnouncesAreListed() throws Exception {
    capabilities("{'hoverProvider':true,'referencesProvider':{},'definitionProvider':false,"
        + "'declarationProvider':null}");
    start();
    assertThat(tools.names()).containsExactly("hover", "references", "diagnostics");
    assertThat(listed("hover").get("annotations"))
        .isEqualTo(
            Json.parse("{\"readOnlyHint\":true,\"idempotentHint\":true,\"openWorldHint\":false}"));
    assertThat(listed("definition")).isNull();
  }

  @Test
  void aFeatureThatIsRegisteredLaterBecomesATool() throws Exception {
    start();
    LanguageClient server = script.clients.take();
    changes.clear();
    server.registration(new RegistrationParams(
        List.of(new Registration("1", "textDocument/documentSymbol", null))));
    assertThat(changes.poll(30, TimeUnit.SECONDS)).isNotNull();
    assertThat(listed("document_symbols")).isNotNull();
    server.unregistration(
        new UnregistrationParams(List.of(new Unregistration("1", "textDocument/documentSymbol"))));
    assertThat(changes.poll(30, TimeUnit.SECONDS)).isNotNull();
    assertThat(listed("document_symbols")).isNull();
  }

  @Test
  void hoverFindsTheSymbolBehindWideCharacters() throws Exception {
    answer(
        "textDocument/hover",
        (params, call) -> new Hover(
            new MarkupContent(MarkupKind.MARKDOWN, params.get("position").toString())));
    start();
    assertThat(text(call("hover", "{'file':'a.c','line':2,'symbol':'area'}")))
        .isEqualTo("{\"line\":1,\"character\":3}");
    assertThat(text(call("hover", "{'file':'a.c','line':2,'column':3}")))
        .isEqualTo("{\"line\":1,\"character\":3}");
    assertThat(text(call("hover", "{'file':'a.c','symbol':'bad'}")))
        .isEqualTo("{\"line\":2,\"character\":0}");
  }

  @Test
  void theServerMayChooseAnotherUnitForPositions() throws Exception {
    capabilities("{'positionEncoding':'utf-8','textDocumentSync':1,'hoverProvider':true,"
        + "'definitionProvider':true}");
    answer(
        "textDocument/hover",
        (params, call) -> new Hover(
            new MarkupContent(MarkupKind.MARKDOWN, params.get("position").toString())));
    answer("textDocument/definition", (params, call) -> location(1, 5, 9));
    start();
    assertThat(text(call("hover", "{'file':'a.c','line':2,'symbol':'area'}")))
        .isEqualTo("{\"line\":1,\"character\":5}");
    Json found = structured(call("definition", "{'file':'a.c','symbol':'area'}"));
    assertThat(found.get("locations").at(0).get("column")).isEqualTo(Json.of(3));
    assertThat(found.get("locations").at(0).get("endColumn")).isEqualTo(Json.of(7));
  }

  @Test
  void aHoverWithoutContentsSaysSo() throws Exception {
    start();
    Json result = call("hover", "{'file':'a.c','line':1,'symbol':'area'}");
    assertThat(text(result))
        .isEqualTo("The language server knows nothing about a.c:1:5: int area;");
    assertThat(structured(result)).isEqualTo(Json.parse("{\"contents\":\"\"}"));
  }

  @Test
  void onlyTheFirstStringsOfALongHoverAreRead() throws Exception {
    String many = "\"a\",".repeat(20_000);
    answer("textDocument/hover", (params, call) -> "{\"contents\":[\"\"," + many + "7]}");
    start();
    assertThat(text(call("hover", "{'file':'a.c','symbol':'area'}")))
        .startsWith("a\n\na\n\na")
        .endsWith("...")
        .hasSizeLessThan(20_010);
    answer("textDocument/hover", (params, call) -> "{\"contents\":[\" a \",7]}");
    assertThat(error(call("hover", "{'file':'a.c','symbol':'area'}")))
        .contains("'textDocument/hover' is not valid", "expected a string or an object");
    answer("textDocument/hover", (params, call) -> """
        {"contents":[" ",{"language":"c","value":"int area"},"more"]}""");
    assertThat(text(call("hover", "{'file':'a.c','symbol':'area'}")))
        .isEqualTo("```c\nint area\n```\n\nmore");
  }

  @Test
  void locationsHaveTheirSourceLineOnlyInsideOfTheWorkspace() throws Exception {
    Path outside =
        Files.writeString(folder.resolveSibling(folder.getFileName() + "-outside.h"), "a secret\n");
    capabilities("{'textDocumentSync':1,'definitionProvider':true}");
    answer(
        "textDocument/definition",
        (params, call) -> "[" + location(1, 3, 7) + ","
            + location(outside.toUri().toString(), 0, 2, 8) + ","
            + location("jdt://x", 4, 0, 0) + "," + location(uri().replace("a.c", "b.c"), 9, 1, 2)
            + "]");
    start();
    Json result = call("definition", "{'file':'a.c','line':1,'symbol':'area'}");
    Files.delete(outside);
    assertThat(text(result))
        .isEqualTo("a.c:2:3: \uD83D\uDE00 area = 2;\n" + outside + ":1:3\njdt://x:5:1\nb.c:10:2");
    assertThat(structured(result).get("total")).isEqualTo(Json.of(4));
  }

  @Test
  void resultsAreCutAtTheLimit() throws Exception {
    capabilities("{'textDocumentSync':1,'referencesProvider':true}");
    answer("textDocument/references", (params, call) -> {
      assertThat(params.get("context")).isEqualTo(Json.parse("{\"includeDeclaration\":false}"));
      return "[" + location(0, 4, 8) + "," + location(1, 3, 7) + "," + location(0, 4, 8) + "]";
    });
    start();
    Json result =
        call("references", "{'file':'a.c','symbol':'area','limit':1,'includeDeclaration':false}");
    assertThat(text(result))
        .isEqualTo("a.c:1:5: int area;\n(the first 1 of 2; raise 'limit' for more)");
    assertThat(structured(result).get("locations").elements()).hasSize(1);
  }

  @Test
  void symbolsAreListedInTheirTree() throws Exception {
    capabilities(
        "{'textDocumentSync':1,'documentSymbolProvider':true," + "'workspaceSymbolProvider':true}");
    String range = """
        {"start":{"line":0,"character":4},"end":{"line":0,"character":8}}""";
    String symbol = "\"range\":" + range + ",\"selectionRange\":" + range;
    answer("textDocument/documentSymbol", (params, call) -> """
        [{"name":"Point","kind":23,%s,"children":[{"name":"x","kind":8,"detail":"int",%s}]},\
        {"name":"odd","kind":99,%s}]""".formatted(symbol, symbol, symbol));
    answer("workspace/symbol", (params, call) -> """
        [{"name":"area","kind":12,"containerName":"geo","location":%s}]\
        """.formatted(location(1, 3, 7)));
    start();
    assertThat(text(call("document_symbols", "{'file':'a.c'}")))
        .isEqualTo("a.c:1:5: struct Point\n  a.c:1:5: field x int\na.c:1:5: symbol odd");
    Json found = call("workspace_symbols", "{'query':'area','file':'a.c'}");
    assertThat(text(found)).isEqualTo("a.c:2:3: function area in geo");
    assertThat(structured(found).get("symbols").at(0).get("container")).isEqualTo(Json.of("geo"));
  }

  @Test
  void aSymbolThatIsNotInTheLineIsAnsweredWithTheLinesThatHaveIt() throws Exception {
    start();
    assertThat(error(call("hover", "{'file':'a.c','line':3,'symbol':'area'}")))
        .isEqualTo("Line 3 of 'a.c' does not contain 'area'. It is: bad\n"
            + "These lines contain it: 1, 2");
    assertThat(error(call("hover", "{'file':'a.c','line':9,'symbol':'area'}")))
        .contains("has 4 lines");
    assertThat(error(call("hover", "{'file':'a.c','line':3,'column':9}")))
        .contains("has no column 9. It is: bad");
    assertThat(error(call("hover", "{'file':'a.c','line':3}"))).contains("'line' and 'symbol'");
    assertThat(error(call("hover", "{'file':'a.c','line':0,'symbol':'a'}"))).contains("line");
  }

  @Test
  void aSymbolHasABoundedLength() throws Exception {
    start();
    assertThat(error(call("hover", "{'file':'a.c','symbol':'" + "x".repeat(1_001) + "'}")))
        .contains("symbol")
        .hasSizeLessThan(500);
    assertThat(error(call("hover", "{'file':'a.c','symbol':'" + "x".repeat(1_000) + "'}")))
        .isEqualTo("'a.c' does not contain '" + "x".repeat(100) + "...'.");
    assertThat(seen()).doesNotContain("textDocument/hover");
  }

  @Test
  void aLongSearchForAPositionBlocksNoOtherCall() throws Exception {
    start();
    CountDownLatch searches = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    AtomicInteger texts = new AtomicInteger();
    Session session = Session.start(
        new Session.Setup(
            language.endpoint().toString(),
            LspServer.options().build(),
            new Workspace(folder, 1_000),
            null,
            null,
            10,
            new Notices()),
        features -> {});
    mcp.tools().add(Tool.named("search").handle((call, arguments) -> {
      Function<Documents.Document, Position> search = document -> {
        searches.countDown();
        try {
          assertThat(answered.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
        return new Position(0, texts.incrementAndGet());
      };
      session.ask(call, "textDocument/hover", Hover.class, file, search, HoverParams::new);
      return "found";
    }));
    CallFuture<Json> searching = send("search", "{}");
    assertThat(searches.await(30, TimeUnit.SECONDS)).isTrue();

    Path other = Files.writeString(folder.resolve("b.c"), "b");
    assertThat(session.documents().open(other).text().text()).isEqualTo("b");
    Files.writeString(file, "another text");
    session.documents().refresh();
    answered.countDown();

    assertThat(text(searching.await())).isEqualTo("found");
    assertThat(texts).as("the position in the changed text counts").hasValue(2);
    session.close();
  }

  @Test
  void aFileOutsideOfTheWorkspaceIsRefused() throws Exception {
    start();
    assertThat(error(call("hover", "{'file':'../x.c','line':1,'symbol':'a'}")))
        .contains("outside of the workspace");
    assertThat(error(call("diagnostics", "{'file':'/etc/passwd'}")))
        .contains("outside of the workspace");
    assertThat(seen()).noneMatch(event -> event.startsWith("open"));
  }

  // ---------------------------------------------------------------- documents

  @Test
  void aFileIsOpenedOnceAndItsChangesAreSentBeforeTheNextCall() throws Exception {
    capabilities(
        "{'textDocumentSync':{'openClose':true,'change':2,'save':true}," + "'hoverProvider':true}");
    start();
    call("hover", "{'file':'a.c','symbol':'area'}");
    call("hover", "{'file':'./a.c','symbol':'area'}");
    Files.writeString(file, "int rea;\n");
    call("hover", "{'file':'a.c','symbol':'rea'}");
    Files.delete(file);
    assertThat(error(call("hover", "{'file':'a.c','symbol':'rea'}"))).contains("There is no file");
    Files.writeString(folder.resolve("b.py"), "b");
    call("hover", "{'file':'b.py','symbol':'b'}");
    assertThat(seen())
        .containsExactly(
            "initialize",
            "initialized",
            "open a.c c 1 " + TEXT,
            "textDocument/hover",
            "textDocument/hover",
            "change a.c 2 int rea;\n",
            "save a.c",
            "textDocument/hover",
            "close a.c",
            "open b.py python 3 b",
            "textDocument/hover");
  }

  @Test
  void aDocumentIsClosedWhenItsFolderBecomesASymbolicLink() throws Exception {
    Path outside = Files.createDirectory(folder.resolveSibling(folder.getFileName() + "-outside"));
    Files.writeString(outside.resolve("b.c"), "a secret");
    Path sub = Files.createDirectory(folder.resolve("sub"));
    Files.writeString(sub.resolve("b.c"), "inside");
    start();
    call("hover", "{'file':'sub/b.c','symbol':'inside'}");
    Files.move(sub, folder.resolve("old"));
    Files.createSymbolicLink(sub, outside);
    assertThat(error(call("hover", "{'file':'sub/b.c','symbol':'a'}")))
        .contains("outside of the workspace");
    call("hover", "{'file':'a.c','symbol':'area'}");
    Files.delete(outside.resolve("b.c"));
    Files.delete(outside);
    assertThat(seen()).contains("close b.c").noneMatch(event -> event.contains("a secret"));
  }

  @Test
  void theDocumentsThatWereUsedLeastRecentlyAreClosed() throws Exception {
    tools = builder().maxOpenFiles(2).start(mcp);
    for (String name : List.of("b.c", "c.c")) {
      Files.writeString(folder.resolve(name), name);
    }
    // An old file, so that only the other files are read again before each call; such a read does
    // not count as use.
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(600)));
    for (String name : List.of("a.c", "b.c", "a.c", "c.c")) {
      call("hover", "{'file':'" + name + "','line':1,'column':1}");
    }
    assertThat(seen()).contains("close b.c").doesNotContain("close a.c", "close c.c");
  }

  @Test
  void aServerThatWantsNoDocumentsGetsNone() throws Exception {
    capabilities("{'hoverProvider':true}");
    start();
    call("hover", "{'file':'a.c','symbol':'area'}");
    assertThat(seen()).containsExactly("initialize", "initialized", "textDocument/hover");
  }

  // ---------------------------------------------------------------- diagnostics

  @Test
  void publishedDiagnosticsAreThoseOfTheTextOnDisk() throws Exception {
    start();
    Json result = call("diagnostics", "{'file':'a.c'}");
    assertThat(text(result)).isEqualTo("a.c:3:1: error: this is bad\n    bad");
    assertThat(structured(result).get("complete")).isEqualTo(Json.TRUE);
    Files.writeString(file, "good\n");
    assertThat(text(call("diagnostics", "{'file':'a.c'}"))).isEqualTo("No problems in 'a.c'.");
    assertThat(text(call("diagnostics", "{}"))).startsWith("No problems in the files");
  }

  @Test
  void diagnosticsThatDoNotComeInTimeAreReportedAsIncomplete() throws Exception {
    script.publishes = false;
    tools = builder().diagnosticsWait(Duration.ofMillis(20)).start(mcp);
    Json result = call("diagnostics", "{'file':'a.c'}");
    assertThat(text(result)).contains("has not yet reported");
    assertThat(structured(result).get("complete")).isEqualTo(Json.FALSE);
    assertThat(tools.names()).contains("diagnostics");
  }

  @Test
  void diagnosticsArePulledIfTheServerServesThem() throws Exception {
    script.publishes = false;
    capabilities("{'textDocumentSync':1,"
        + "'diagnosticProvider':{'interFileDependencies':false,'workspaceDiagnostics':false}}");
    AtomicInteger asked = new AtomicInteger();
    answer("textDocument/diagnostic", (params, call) -> {
      if (asked.incrementAndGet() == 1) {
        throw new RpcException(-32802, "busy", Json.parse("{\"retriggerRequest\":true}"));
      }
      return """
          {"kind":"full","items":[{"range":{"start":{"line":0,"character":0},\
          "end":{"line":0,"character":3}},"severity":2,"code":17,\
          "source":"lint","message":"odd"}]}""";
    });
    start();
    Json result = call("diagnostics", "{'file':'a.c'}");
    assertThat(text(result)).isEqualTo("a.c:1:1: warning: odd [17]\n    int area;");
    assertThat(structured(result).get("diagnostics").at(0).get("source"))
        .isEqualTo(Json.of("lint"));
    assertThat(asked).hasValue(2);
  }

  @Test
  void aMessageWithMarkupIsShownAsItsText() throws Exception {
    script.publishes = false;
    capabilities("{'textDocumentSync':1,"
        + "'diagnosticProvider':{'interFileDependencies':false,'workspaceDiagnostics':false}}");
    answer("textDocument/diagnostic", (params, call) -> """
        {"kind":"full","items":[{"range":%s,"message":%s}]}""".formatted(
            Json.parse(location(0, 4, 8)).get("range"),
            Json.of(new MarkupContent(MarkupKind.MARKDOWN, "unused `area`"))));
    start();
    assertThat(text(call("diagnostics", "{'file':'a.c'}")))
        .isEqualTo("a.c:1:5: error: unused `area`\n    int area;");
  }

  // ---------------------------------------------------------------- the server

  @Test
  void theServerIsInitializedWithTheWorkspaceAndAnsweredAsByAnEditor() throws Exception {
    tools = builder()
        .settings(Json.parse("{\"c\":{\"style\":{\"tabs\":2}}}"))
        .initializationOptions(Json.parse("{\"fast\":true}"))
        .start(mcp);
    LanguageClient server = script.clients.take();
    awaitSeen("configuration {\"c\":");
    assertThat(script.initialize.rootUri()).isEqualTo(folder.toUri().toString());
    assertThat(script.initialize.initializationOptions()).isEqualTo(Json.parse("{\"fast\":true}"));
    assertThat(server.workspaceFolders())
        .containsExactly(
            new WorkspaceFolder(folder.toUri().toString(), folder.getFileName().toString()));
    assertThat(server.configuration(new ConfigurationParams(List.of(
            new ConfigurationItem(null, "c.style"),
            new ConfigurationItem(null, "c.style.tabs"),
            new ConfigurationItem(null, "c.style.tabs.more"),
            new ConfigurationItem(null, "python")))))
        .containsExactly(Json.parse("{\"tabs\":2}"), Json.of(2), Json.NULL, Json.NULL);
    assertThat(server
            .applyWorkspaceEdit(new ApplyWorkspaceEditParams(null, new WorkspaceEdit(), null))
            .applied())
        .isFalse();
    assertThat(server.showMessageRequest(
            new ShowMessageRequestParams(MessageType.INFO, "Restart?", null)))
        .isNull();
    assertThat(server
            .showDocument(new ShowDocumentParams("https://x", true, null, null))
            .success())
        .isFalse();
    server.workDoneProgressCreate(new WorkDoneProgressCreateParams(ProgressToken.of("t")));
    server.diagnosticRefresh();
  }

  @Test
  void logAndProgressOfTheServerArriveBeforeTheResult() throws Exception {
    answer("textDocument/hover", (params, call) -> {
      LanguageClient server = script.clients.take();
      server.logMessage(new LogMessageParams(MessageType.WARNING, "odd"));
      server.progress(new ProgressParams(ProgressToken.of(1), Json.parse("""
          {"kind":"begin","title":"indexing","percentage":0}""")));
      server.progress(new ProgressParams(ProgressToken.of(1), Json.parse("""
          {"kind":"report","message":"a.c","percentage":50}""")));
      server.workspaceFolders(); // answered when the client has handled the notifications
      return null;
    });
    start();
    Json result = call("hover", "{'file':'a.c','symbol':'area'}");
    assertThat(text(result)).startsWith("The language server knows nothing");
    assertThat(logs.poll(30, TimeUnit.SECONDS)).isEqualTo(Json.parse("""
        {"level":"warning","logger":"language server","data":"odd"}"""));
    assertThat(progress.poll(30, TimeUnit.SECONDS).get("message"))
        .isEqualTo(Json.of("indexing (0 %)"));
    assertThat(text(call("diagnostics", "{'file':'a.c'}"))).contains("still busy (indexing)");
  }

  @Test
  void cancellingTheToolCallCancelsTheRequest() throws Exception {
    CountDownLatch cancelled = new CountDownLatch(1);
    answer("textDocument/hover", (params, call) -> {
      call.cancellation().onCancel(cancelled::countDown);
      call.cancellation().sleep(Duration.ofMinutes(1));
      return null;
    });
    start();
    // The id of the next request of this client is known to be its number.
    CallFuture<Json> answer = send("hover", "{'file':'a.c','symbol':'area'}");
    awaitSeen("textDocument/hover");
    answer.cancel(true);
    client
        .request("notifications/cancelled")
        .params(Json.parse("{\"requestId\":2}"))
        .sendNotification();
    assertThat(cancelled.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aServerThatDoesNotAnswerIsReportedAndTheNextCallWorks() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    answer("textDocument/hover", (params, call) -> {
      if (asked.incrementAndGet() == 1) {
        call.cancellation().sleep(Duration.ofMinutes(1));
      }
      return null;
    });
    FakeClock clock = new FakeClock();
    tools = builder()
        .options(ClockOptions.with(clock, LspServer.options())
            .limits(limits -> limits.callTimeout(Duration.ofSeconds(4)))
            .build())
        .start(mcp);
    CallFuture<Json> late = send("hover", "{'file':'a.c','symbol':'area'}");
    awaitSeen("textDocument/hover");
    clock.advance(Duration.ofSeconds(4));
    assertThat(error(late.await())).contains("did not answer", "within 4 s");
    assertThat(text(call("hover", "{'file':'a.c','symbol':'area'}"))).contains("knows nothing");
  }

  @Test
  void aServerThatEndsIsStartedAgainByTheNextCall() throws Exception {
    try (FaultProxy proxy = FaultProxy.to(language.endpoint())) {
      AtomicInteger asked = new AtomicInteger();
      answer("textDocument/hover", (params, call) -> {
        if (asked.incrementAndGet() == 1) {
          proxy.reset();
          call.cancellation().sleep(Duration.ofMinutes(1));
        }
        return null;
      });
      tools = LanguageTools.builder(proxy.endpoint().toString(), folder).start(mcp);
      assertThat(error(call("hover", "{'file':'a.c','symbol':'area'}")))
          .contains("ended before it answered", "starts it again");
      assertThat(text(call("hover", "{'file':'a.c','symbol':'area'}"))).contains("knows nothing");
      assertThat(seen())
          .filteredOn(event -> event.startsWith("open") || event.equals("initialize"))
          .containsExactly(
              "initialize", "open a.c c 1 " + TEXT, "initialize", "open a.c c 1 " + TEXT);
      tools.close();
    }
  }

  @Test
  void aRequestOnAModifiedFileIsRepeatedOnce() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    answer("textDocument/hover", (params, call) -> {
      if (asked.incrementAndGet() != 2) {
        throw new RpcException(-32801, "content modified");
      }
      return null;
    });
    start();
    assertThat(text(call("hover", "{'file':'a.c','symbol':'area'}"))).contains("knows nothing");
    answer("textDocument/hover", (params, call) -> {
      throw new RpcException(-32801, "content modified");
    });
    assertThat(error(call("hover", "{'file':'a.c','symbol':'area'}")))
        .contains("content modified (-32801)");
  }

  @Test
  void anAnswerThatIsNotLspIsReported() throws Exception {
    answer("textDocument/hover", (params, call) -> "{\"contents\":7}");
    start();
    assertThat(error(call("hover", "{'file':'a.c','symbol':'area'}")))
        .contains("The answer of the language server to 'textDocument/hover' is not valid");
  }

  @Test
  void aServerThatCannotBeStartedIsNamed() throws Exception {
    assertThatThrownBy(
            () -> LanguageTools.builder("exec:/no/such/server", folder).start(mcp))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("/no/such/server");
    assertThatThrownBy(() -> LanguageTools.builder("exec:true", folder).start(mcp))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no language server");
    assertThatThrownBy(
            () -> LanguageTools.builder(language.endpoint().toString(), folder.resolve("x"))
                .start(mcp))
        .isInstanceOf(IOException.class);
  }

  @Test
  void registrationsAndActivitiesOfAServerAreBounded() throws Exception {
    start();
    LanguageClient server = script.clients.take();
    List<Registration> many = java.util.stream.IntStream.range(0, 1_001)
        .mapToObj(i -> new Registration("r" + i, "textDocument/x", null))
        .toList();
    assertThatThrownBy(() -> server.registration(new RegistrationParams(many)))
        .isInstanceOf(RpcException.class)
        .hasMessageContaining("too many registrations");
    server.progress(new ProgressParams(
        ProgressToken.of("t".repeat(2_000)),
        Json.parse("{\"kind\":\"begin\",\"title\":\"indexing\"}")));
    server.workspaceFolders(); // answered when the client has handled the notification
    assertThat(text(call("diagnostics", "{'file':'a.c'}"))).doesNotContain("busy");
  }

  @Test
  void aFloodOfDiagnosticsAndMessagesIsBounded() throws Exception {
    answer("textDocument/hover", (params, call) -> {
      LanguageClient server = script.clients.take();
      Diagnostic one =
          new Diagnostic(new Range(new Position(0, 0), new Position(0, 1)), "m".repeat(1_500));
      for (int i = 0; i < 30; i++) {
        server.publishDiagnostics(new PublishDiagnosticsParams(
            folder.resolve("f" + i + ".c").toUri().toString(),
            null,
            java.util.Collections.nCopies(600, one)));
        server.workspaceFolders(); // or a busy client might have more to read than it queues
      }
      for (int i = 0; i < 2_000; i++) {
        server.logMessage(new LogMessageParams(MessageType.LOG, "l".repeat(3_000)));
      }
      server.workspaceFolders(); // answered when the client has handled the notifications
      return null;
    });
    start();
    call("hover", "{'file':'a.c','symbol':'area'}");
    Json result = call("diagnostics", "{'limit':1000}");
    Json found = structured(result);
    assertThat(found.get("diagnostics").elements()).hasSize(1_000);
    assertThat(found.get("total").as(int.class)).isLessThanOrEqualTo(20 * 600 + 1);
    assertThat(found.get("diagnostics").at(999).get("message").as(String.class)).hasSize(1_003);
    assertThat(logs.size()).isLessThan(700);
  }
}

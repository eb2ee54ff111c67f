package dev.repartee.mcp.lsp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import dev.repartee.lsp.handlers.LanguageClient;
import dev.repartee.lsp.types.ProgressParams;
import dev.repartee.lsp.types.ProgressToken;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A language server that is busy, for example with its index, while the tools ask it. */
class BusyServerTest extends LanguageToolsFixture {
  private static final String NOTE = "\n\nThe language server is still busy (indexing), so this may"
      + " be incomplete. Call the tool again later if something is missing.";

  private static final String ALL = "{'textDocumentSync':1,'hoverProvider':true,"
      + "'definitionProvider':true,'declarationProvider':true,'typeDefinitionProvider':true,"
      + "'implementationProvider':true,'referencesProvider':true,'documentSymbolProvider':true,"
      + "'workspaceSymbolProvider':true,'renameProvider':true}";

  private static final String PULLED = "{'textDocumentSync':1,"
      + "'diagnosticProvider':{'interFileDependencies':false,'workspaceDiagnostics':false}}";

  private void progress(LanguageClient server, String kind) {
    server.progress(new ProgressParams(
        ProgressToken.of(1), Json.parse("{\"kind\":\"" + kind + "\",\"title\":\"indexing\"}")));
    server.workspaceFolders(); // answered when the client has handled the notification
  }

  private LanguageClient startBusy() throws IOException, InterruptedException {
    tools = builder().diagnosticsWait(Duration.ofSeconds(30)).start(mcp);
    LanguageClient server = script.clients.take();
    progress(server, "begin");
    return server;
  }

  private static String arguments(Feature feature) {
    return switch (feature) {
      case DIAGNOSTICS, DOCUMENT_SYMBOLS -> "{'file':'a.c'}";
      case WORKSPACE_SYMBOLS -> "{'query':'area'}";
      case RENAME -> "{'file':'a.c','symbol':'area','newName':'size'}";
      default -> "{'file':'a.c','symbol':'area'}";
    };
  }

  @Test
  void everyToolNotesThatTheServerIsBusy() throws Exception {
    capabilities(ALL);
    answer("textDocument/rename", (params, call) ->
        """
            {"changes":{"%s":[{"range":%s,"newText":"size"}]}}\
            """.formatted(uri(), Json.parse(location(0, 4, 8)).get("range")));
    startBusy();
    for (Feature feature : Feature.values()) {
      String tool = feature.toolName();
      Json result = call(tool, arguments(feature));
      assertThat(structured(result).get("busy")).as(tool).isEqualTo(Json.of("indexing"));
      assertThat(text(result)).as(tool).endsWith(NOTE);
      assertThat(listed(tool).get("outputSchema").get("properties").get("busy"))
          .as(tool)
          .isNotNull();
    }
  }

  @Test
  void aHoverOfABusyServerIsNoFinalAnswer() throws Exception {
    LanguageClient server = startBusy();
    assertThat(text(call("hover", "{'file':'a.c','symbol':'area'}")))
        .isEqualTo("The language server knows nothing about a.c:1:5: int area;" + NOTE);

    progress(server, "end");
    Json result = call("hover", "{'file':'a.c','symbol':'area'}");
    assertThat(text(result))
        .isEqualTo("The language server knows nothing about a.c:1:5: int area;");
    assertThat(structured(result).get("busy")).isNull();
  }

  @Test
  void publishedDiagnosticsOfABusyServerAreIncomplete() throws Exception {
    LanguageClient server = startBusy();
    Json result = call("diagnostics", "{'file':'a.c'}");
    assertThat(structured(result).get("complete")).isEqualTo(Json.FALSE);
    assertThat(text(result)).isEqualTo("a.c:3:1: error: this is bad\n    bad" + NOTE);

    progress(server, "end");
    result = call("diagnostics", "{'file':'a.c'}");
    assertThat(structured(result).get("complete")).isEqualTo(Json.TRUE);
    assertThat(text(result)).isEqualTo("a.c:3:1: error: this is bad\n    bad");
  }

  @Test
  void noDiagnosticsOfABusyServerAreNoneSoFar() throws Exception {
    script.publishes = false;
    capabilities(PULLED);
    answer("textDocument/diagnostic", (params, call) -> "{\"kind\":\"full\",\"items\":[]}");
    LanguageClient server = startBusy();
    Json result = call("diagnostics", "{'file':'a.c'}");
    assertThat(structured(result).get("complete")).isEqualTo(Json.FALSE);
    assertThat(text(result)).isEqualTo("No problems are reported so far in 'a.c'." + NOTE);
    assertThat(structured(call("diagnostics", "{}")).get("complete")).isEqualTo(Json.FALSE);

    progress(server, "end");
    assertThat(text(call("diagnostics", "{'file':'a.c'}"))).isEqualTo("No problems in 'a.c'.");
    assertThat(structured(call("diagnostics", "{}")).get("complete")).isEqualTo(Json.TRUE);
  }
}

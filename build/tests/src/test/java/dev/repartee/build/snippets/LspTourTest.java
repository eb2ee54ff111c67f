package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Call;
import dev.repartee.Lane;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.lsp.LspClient;
import dev.repartee.lsp.LspServer;
import dev.repartee.lsp.LspSession;
import dev.repartee.lsp.LspSessionAware;
import dev.repartee.lsp.handlers.InitializeHandler;
import dev.repartee.lsp.types.*;
import dev.repartee.stream.Streamed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the code of protocols/lsp/README.md. */
class LspTourTest {
  @Test
  void aServerInAProcessIsDrivenByAClient(@TempDir Path folder) throws Exception {
    Path arguments = folder.resolve("arguments");
    Files.writeString(
        arguments,
        "-XX:TieredStopAtLevel=1\n-cp\n\""
            + System.getProperty("java.class.path").replace("\\", "\\\\") + "\"\n"
            + TodoServer.class.getName());
    Path status = folder.resolve("status");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String server = "exec:"
        + Json.of(List.of("sh", "-c", "'" + java + "' '@" + arguments + "'; echo $? > " + status));
    LspTour.Editor editor = new LspTour.Editor(new CopyOnWriteArrayList<>());
    TextDocumentItem document =
        new TextDocumentItem("file:///a.txt", LanguageKind.of("plaintext"), 1, "one\nTODO two");

    String hover = LspTour.hover(server, editor, document);

    assertThat(hover).isEqualTo("line **TODO two**");
    while (editor.found().isEmpty()) { // the handler of the client may still wait for a thread
      Thread.onSpinWait();
    }
    assertThat(editor.found())
        .extracting(diagnostic -> diagnostic.message().text())
        .containsExactly("still to do");
    assertThat(Files.readString(status).strip()).isEqualTo("0");
  }

  @Test
  void aServerReportsProgressAndRegistersCapabilities() throws Exception {
    try (Server server = LspServer.listen(
            "tcp://127.0.0.1:0", IndexingServer::new, LspServer.options().build());
        LspClient client =
            LspClient.connect(server.endpoint().bare().toString(), new LspTour.Editor(List.of()))) {
      client.server().initialize(new InitializeParams(null, null, new ClientCapabilities()));
      client.server().initialized(new InitializedParams());
      client.server().executeCommand(new ExecuteCommandParams("watch"));
      assertThat(client.registrations("workspace/didChangeWatchedFiles")).hasSize(1);
      client.server().executeCommand(new ExecuteCommandParams("index"));

      ReferenceParams params = new ReferenceParams(
          new TextDocumentIdentifier("file:///a"), new Position(0, 0), new ReferenceContext(true));
      assertThat(LspTour.references(client, params).get().items()).hasSize(3);
    }
  }

  /** The parts of the tour as one server. */
  static final class IndexingServer implements InitializeHandler, LspSessionAware {
    private final LspTour.Indexing indexing = new LspTour.Indexing();
    private final LspTour.Searching searching = new LspTour.Searching();

    @Override
    public void connect(LspSession session) {
      indexing.connect(session);
    }

    @Override
    public InitializeResult initialize(InitializeParams params) {
      return new InitializeResult(searching.documents().capabilities(params));
    }

    @Rpc(value = "workspace/executeCommand", paramsObject = true)
    public void executeCommand(ExecuteCommandParams params, Call call) {
      if (params.command().equals("watch")) {
        indexing.watch();
      } else {
        indexing.executeCommand(params, call);
      }
    }

    @Rpc(value = "textDocument/references", paramsObject = true)
    @Streamed(partialResults = true)
    public Stream<Location> references(ReferenceParams params) {
      return searching.references(params);
    }
  }

  @Test
  void aMethodThatNeedsTheCallIsAnnotatedItself() {
    assertThat(
            Service.of(new LspTour.Waiting()).find("workspace/executeCommand").lane(false))
        .isEqualTo(Lane.CONCURRENT);
  }
}

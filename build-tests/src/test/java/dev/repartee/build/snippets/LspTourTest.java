package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Lane;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.lsp.types.Diagnostic;
import dev.repartee.lsp.types.LanguageKind;
import dev.repartee.lsp.types.TextDocumentItem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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

    assertThat(hover).isEqualTo("line **1**");
    assertThat(editor.found()).extracting(Diagnostic::message).containsExactly("still to do");
    assertThat(Files.readString(status).strip()).isEqualTo("0");
  }

  @Test
  void aMethodThatNeedsTheCallIsAnnotatedItself() {
    assertThat(
            Service.of(new LspTour.Waiting()).find("workspace/executeCommand").lane(false))
        .isEqualTo(Lane.CONCURRENT);
  }
}

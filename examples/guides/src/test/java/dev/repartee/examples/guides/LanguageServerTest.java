package dev.repartee.examples.guides;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Runs the client of Visual Studio Code against the language server of docs/language-server.md. */
@Timeout(60)
@EnabledIf(value = "isInstalled", disabledReason = NodeModules.MISSING)
class LanguageServerTest {
  static boolean isInstalled() {
    return NodeModules.has("vscode-languageserver-protocol");
  }

  @Test
  void theClientOfAnEditorIsServedFromInitializeToExit() throws Exception {
    List<String> command = new ArrayList<>(List.of("node", "src/test/resources/editor.js"));
    command.addAll(Programs.java(LanguageServer.class));
    Process editor = NodeModules.start(command);
    String said = new String(editor.getInputStream().readAllBytes(), UTF_8);
    assertThat(said).endsWith("the editor is content\n");
    assertThat(editor.waitFor()).as(said).isZero();
  }
}

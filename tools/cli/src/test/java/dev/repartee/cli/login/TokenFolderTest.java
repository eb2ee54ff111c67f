package dev.repartee.cli.login;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The folder with the tokens. */
@DisabledOnOs(OS.WINDOWS)
class TokenFolderTest {
  private static final Path HOME = Path.of("/home/ann");

  @TempDir
  Path folder;

  private static String settings(String system, Map<String, String> environment) {
    return TokenFolder.settings(system, HOME, environment::get).toString();
  }

  @Test
  void theFolderIsThatOfTheSystem() {
    assertThat(settings("Linux", Map.of())).isEqualTo("/home/ann/.config");
    assertThat(settings("Mac OS X", Map.of())).isEqualTo("/home/ann/Library/Application Support");
    assertThat(settings("Windows 11", Map.of())).isEqualTo("/home/ann/AppData/Roaming");
    assertThat(settings("Windows 11", Map.of("APPDATA", "/roaming"))).isEqualTo("/roaming");
  }

  @Test
  void theUserMayChooseAnotherByAnAbsolutePath() {
    assertThat(settings("Linux", Map.of("XDG_CONFIG_HOME", "/etc/ann"))).isEqualTo("/etc/ann");
    assertThat(settings("Linux", Map.of("XDG_CONFIG_HOME", "here"))).isEqualTo("/home/ann/.config");
    assertThat(settings("Linux", Map.of("XDG_CONFIG_HOME", ""))).isEqualTo("/home/ann/.config");
  }

  @Test
  void aUserAndEachClientHaveStoresOfTheirOwn() throws Exception {
    TokenFolder tokens = new TokenFolder(folder.resolve("tokens"));
    assertThat(tokens.forget(URI.create("https://example.com/mcp"))).isFalse();
    tokens.ofUsers().write("name", "of the user");
    tokens.ofClient("../reports").write("name", "of the client");
    assertThat(tokens.ofUsers().read("name")).isEqualTo("of the user");
    assertThat(tokens.ofClient("../reports").read("name")).isEqualTo("of the client");
    assertThat(tokens.ofClient("other").read("name")).isNull();
    assertThat(folder.resolve("tokens").toFile().list()).hasSize(2);
  }
}

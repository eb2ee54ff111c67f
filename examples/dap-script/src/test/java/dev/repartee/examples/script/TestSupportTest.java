package dev.repartee.examples.script;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.repartee.Server;
import dev.repartee.dap.DapServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The test client of VS Code drives the adapter. */
class TestSupportTest {
  @Test
  void theTestClientOfVsCodeDebugsAScript() throws Exception {
    Path modules =
        Path.of(System.getProperty("repartee.npm", ""), "node_modules").toAbsolutePath();
    assumeThat(modules.resolve("@vscode/debugadapter-testsupport"))
        .as("-Drepartee.npm names no folder in which npm has installed what .ci/run installs")
        .isDirectory();
    try (Server server = DapServer.listen(
        "tcp://127.0.0.1:0", ScriptAdapter::new, DapServer.options().build())) {
      String address = server.endpoint().address();
      ProcessBuilder builder = new ProcessBuilder(
              "node",
              "src/test/resources/test-support.js",
              address.substring(address.lastIndexOf(':') + 1),
              Path.of("src/test/resources/area.script").toAbsolutePath().toString())
          .redirectErrorStream(true);
      builder.environment().put("NODE_PATH", modules.toString());
      Process node = builder.start();

      String output = new String(node.getInputStream().readAllBytes(), UTF_8);

      assertThat(node.waitFor()).as(output).isZero();
      assertThat(output).contains("all sessions passed");
    }
  }
}

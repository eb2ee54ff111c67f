package dev.repartee.examples.traces;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Tests the script that editors start. */
@DisabledOnOs(OS.WINDOWS)
class ServerScriptTest {
  private static Process start(String argument) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("./server", argument).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    return builder.start();
  }

  @Test
  void itPrintsItsUsageAndNamesAnAddressThatItCannotReach() throws Exception {
    Process help = start("--help");
    Process lost = start("carrier-pigeon:coop");

    assertThat(new String(help.getInputStream().readAllBytes(), UTF_8))
        .startsWith("usage: examples/jsonrpc-trace-server/server");
    assertThat(help.waitFor()).isZero();
    assertThat(new String(lost.getInputStream().readAllBytes(), UTF_8))
        .contains("carrier-pigeon:coop");
    assertThat(lost.waitFor()).isEqualTo(2);
  }
}

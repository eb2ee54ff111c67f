package dev.repartee.cli.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.telemetry.AccessLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The value of {@code --access-log}. */
class AccessLogSpecTest {
  @TempDir
  Path folder;

  private List<String> logged(String file, String options) throws Exception {
    Path path = folder.resolve(file);
    try (AccessLog log = AccessLogSpec.open(path + options, Stdio.ofProcess());
        Server server = Repartee.listen(
            "mem:access-log-" + file,
            Service.builder().method("color", call -> "green").build(),
            log.instrument(Options.DEFAULT));
        Peer peer = Repartee.connect(server.endpoint().toString())) {
      peer.call("color", String.class);
      assertThatThrownBy(() -> peer.call("size", String.class)).isInstanceOf(RpcException.class);
      // Waits for the lines of the calls, but only of clients that are still connected.
      server.close(Duration.ofSeconds(20));
    }
    return Files.readAllLines(path);
  }

  @Test
  void aFileAloneHasTheFormOfW3c() throws Exception {
    assertThat(logged("a.log", ""))
        .hasSize(4)
        .contains("#Version: 1.0")
        .anyMatch(line -> line.contains(" color "))
        .anyMatch(line -> line.contains(" size ") && line.contains(" -32601 "));
  }

  @Test
  void aSampleHasEachFailedCall() throws Exception {
    assertThat(logged("b,c.log", ",json,sample=0"))
        .singleElement()
        .asString()
        .startsWith("{\"time\":")
        .contains("\"method\":\"size\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2", "-1", "x", "", "1.5", "0x1p-3"})
  void aShareIsFromZeroToOne(String share) {
    assertThatThrownBy(() -> AccessLogSpec.open(folder + "/log,sample=" + share, Stdio.ofProcess()))
        .hasMessageContaining("'sample=" + share + "'")
        .hasMessageContaining("example");
  }

  @Test
  void aFileThatCannotBeWrittenIsNamed() {
    assertThatThrownBy(() -> AccessLogSpec.open(folder + "/none/log", Stdio.ofProcess()))
        .hasMessageContaining("/none/log' cannot be written");
    assertThatThrownBy(() -> AccessLogSpec.open(",json", Stdio.ofProcess()))
        .hasMessageContaining("names no file");
  }
}

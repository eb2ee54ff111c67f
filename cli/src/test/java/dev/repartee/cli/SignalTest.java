package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs({OS.LINUX, OS.MAC})
class SignalTest {
  /** Uses SIGTERM: a test run in the background may ignore SIGINT and SIGHUP, and children inherit that. */
  @Test
  void aSignalEndsTheCommandAndItsChildThatReadsNothing() throws Exception {
    String deaf = "exec:sh -c 'echo $$ >&2; exec sleep 600'";
    try (Child command = Child.start("call", deaf, "m")) {
      ProcessHandle child = ProcessHandle.of(Long.parseLong(command.errLine())).orElseThrow();
      command.process().toHandle().destroy(); // that of Process would close the streams, too
      assertThat(command.outcome().exit()).isEqualTo(143);
      child.onExit().get(30, TimeUnit.SECONDS);
    }
  }
}

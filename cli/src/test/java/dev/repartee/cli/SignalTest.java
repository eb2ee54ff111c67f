package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs({OS.LINUX, OS.MAC})
class SignalTest {
  /**
   * Uses SIGTERM, because a test in the background may ignore SIGINT and SIGHUP, as its children
   * do.
   */
  @Test
  void aSignalEndsTheCommandAndItsChildThatReadsNothing() throws Exception {
    String deaf = "exec:sh -c 'echo $$ >&2; exec sleep 600'";
    try (Child command = Child.start("call", deaf, "m")) {
      ProcessHandle child = ProcessHandle.of(Long.parseLong(command.errLine())).orElseThrow();
      command.process().toHandle().destroy(); // Process.destroy() would close the streams too
      assertThat(command.outcome().exit()).isEqualTo(143);
      child.onExit().get(30, TimeUnit.SECONDS);
    }
  }
}

package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileInputStream;
import java.io.InputStream;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs({OS.LINUX, OS.MAC})
class SignalTest {
  /**
   * Uses SIGTERM, because a test in the background and its children may ignore SIGINT and SIGHUP. A
   * pipe reports the end of the child. The process id may exist longer, until process 1 has
   * collected the exit code.
   */
  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aSignalEndsTheCommandAndItsChildThatReadsNothing(@TempDir Path folder) throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    String deaf = "exec:sh -c 'exec sleep 600 3>" + pipe + "'";
    try (Child command = Child.start("call", deaf, "m");
        InputStream ended = new FileInputStream(pipe.toFile())) { // opens when the child opens it
      command.terminate();
      assertThat(command.outcome().exit()).isEqualTo(143);
      assertThat(ended.read()).isEqualTo(-1);
    }
  }
}

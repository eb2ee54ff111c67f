package dev.repartee.conformance;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** A process that is ended by the end of its input, or else killed. */
record ChildProcess(Process process) implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 2;

  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (IOException e) {
      // The process has already closed its input; it is killed below.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    kill();
  }

  /**
   * Kills the process and its descendants. This also ends a blocked write to the process, whose
   * stream could not be closed meanwhile.
   */
  void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}

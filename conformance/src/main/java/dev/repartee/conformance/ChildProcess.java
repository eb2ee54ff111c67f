package dev.repartee.conformance;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** A process that is asked to end by the end of its input, and then made to. */
record ChildProcess(Process process) implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 2;

  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (IOException e) {
      // It has closed its input before, and what is left is to see that it ends.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    kill();
  }

  /** Ends it at once, which also ends a write that it does not read: its output cannot be closed then. */
  void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}

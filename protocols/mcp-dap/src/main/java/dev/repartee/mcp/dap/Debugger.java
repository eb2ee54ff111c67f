package dev.repartee.mcp.dap;

import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.types.ToolException;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The debugger of one MCP session: its breakpoints, the output, and at most one program at a time.
 * Thread-safe. No lock is held while a program starts, runs or ends, except {@code starting}, which
 * no call waits for.
 */
final class Debugger implements AutoCloseable {
  private final Program.Setup setup;
  private final Semaphore adapters;
  private final Consumer<Debugger> gone;
  private final Output output = new Output();
  private final Breakpoints breakpoints = new Breakpoints();
  private final AtomicInteger stops = new AtomicInteger();
  private final ReentrantLock starting = new ReentrantLock();

  // Guarded by this.
  private @Nullable Program program;
  private boolean closed;

  /**
   * @param adapters limits the adapters of all sessions that run at the same time
   * @param gone is called when this debugger is closed
   */
  Debugger(Program.Setup setup, Semaphore adapters, Consumer<Debugger> gone) {
    this.setup = setup;
    this.adapters = adapters;
    this.gone = gone;
  }

  Output output() {
    return output;
  }

  Breakpoints breakpoints() {
    return breakpoints;
  }

  /** Returns the last started program, which may have ended, or null. */
  synchronized @Nullable Program last() {
    return program;
  }

  /** Returns the program, or null if it is missing, has ended or its adapter is not ready. */
  @Nullable Program running() {
    Program last = last();
    return last == null || last.execution().status().ended() || !last.isReady() ? null : last;
  }

  /**
   * Returns the program.
   *
   * @throws ToolException if no program was started, or if it has ended
   */
  Program program() {
    Program last = last();
    if (last == null) {
      throw new ToolException("No program is being debugged. Call launch or attach first.");
    }
    Execution.Status status = last.execution().status();
    if (status.ended()) {
      throw ended(status);
    }
    return last;
  }

  /** Returns the failure of a tool that needs a program, after its end. */
  static ToolException ended(Execution.Status status) {
    return new ToolException(
        status.failure() == null
            ? "The program has ended"
                + (status.exitCode() == null ? "" : " with exit code " + status.exitCode())
                + ". Call launch or restart to run it again."
            : status.failure());
  }

  /**
   * Starts a program. Cancelling the call ends it.
   *
   * @throws ToolException if that fails, or if another program runs
   */
  Program start(McpCall call, Program.Start how) {
    if (!starting.tryLock()) {
      throw new ToolException("Another call starts a program at this moment.");
    }
    try {
      Program last = last();
      if (isClosed()) {
        throw new ToolException("The session has ended; no program is started any more.");
      } else if (last != null && !last.execution().status().ended()) {
        throw new ToolException("A program is being debugged already. Call terminate, disconnect or"
            + " restart first.");
      } else if (!adapters.tryAcquire()) {
        throw new ToolException("Too many programs are being debugged by clients of this server."
            + " Try again when one has ended.");
      }
      Program started;
      try {
        output.clear();
        breakpoints.clearAnswers();
        started = Program.connect(setup, how, output, breakpoints, stops::incrementAndGet);
      } catch (IOException | RuntimeException e) {
        adapters.release();
        if (e instanceof IOException) {
          throw new ToolException("The debug adapter cannot be started: " + e.getMessage());
        }
        throw (RuntimeException) e;
      }
      started.whenGone(adapters::release);
      keep(started);
      AtomicBoolean done = new AtomicBoolean();
      call.cancellation().onCancel(() -> {
        if (!done.get()) {
          started.abort();
        }
      });
      try {
        started.initialize(breakpoints);
        done.set(true);
      } finally {
        if (!done.get()) {
          started.end(null);
          started.over().join();
        }
      }
      return started;
    } finally {
      starting.unlock();
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private void keep(Program started) {
    boolean late;
    synchronized (this) {
      program = started;
      late = closed;
    }
    if (late) {
      started.abort();
    }
  }

  /**
   * Ends the program and its adapter, and waits for their end. An attached program continues to
   * run.
   */
  @Override
  public void close() {
    Program last;
    synchronized (this) {
      closed = true;
      last = program;
    }
    if (last != null) {
      last.end(null);
      last.over().join();
    }
    gone.accept(this);
  }
}

package dev.repartee.mcp.dap;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.dap.DapErrors;
import dev.repartee.dap.types.RunInTerminalRequestArguments;
import dev.repartee.internal.Threads;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The processes that an adapter has started with {@code runInTerminal}, at most {@value #MOST}.
 * Their input is empty, and their output is added to the output of the program. Thread-safe.
 */
final class Terminals implements AutoCloseable {
  static final int MOST = 4;
  private static final int PATIENCE_SECONDS = 2;

  private final Output output;

  // Guarded by this.
  private final List<Process> processes = new ArrayList<>();
  private boolean closed;

  Terminals(Output output) {
    this.output = output;
  }

  /**
   * Starts a command.
   *
   * @throws dev.repartee.RpcException if it cannot be started
   */
  synchronized Process start(RunInTerminalRequestArguments request) {
    if (closed || processes.size() == MOST) {
      throw DapErrors.error(
          2, closed ? "the session is over" : "at most " + MOST + " terminals are started");
    } else if (request.args().isEmpty()) {
      throw DapErrors.error(3, "runInTerminal names no command");
    }
    ProcessBuilder builder = new ProcessBuilder(request.args()).redirectErrorStream(true);
    if (!request.cwd().isEmpty()) {
      builder.directory(new File(request.cwd()));
    }
    Map<String, @Nullable String> variables = request.env();
    if (variables != null) {
      variables.forEach((name, value) -> {
        if (value == null) {
          builder.environment().remove(name);
        } else {
          builder.environment().put(name, value);
        }
      });
    }
    try {
      Process process = builder.start();
      processes.add(process);
      process.getOutputStream().close();
      Threads.start("repartee-mcp-dap-terminal", () -> read(process));
      return process;
    } catch (IOException | IllegalArgumentException e) {
      throw DapErrors.error(4, "the command cannot be started: " + e.getMessage());
    }
  }

  private void read(Process process) {
    try (Reader text = new InputStreamReader(process.getInputStream(), UTF_8)) {
      char[] part = new char[4_096];
      for (int read = text.read(part); read >= 0; read = text.read(part)) {
        output.add(new String(part, 0, read));
      }
    } catch (IOException e) {
      // The process has ended.
    }
  }

  /** Ends the processes and their descendants, within two seconds. */
  @Override
  public void close() {
    List<ProcessHandle> all = new ArrayList<>();
    synchronized (this) {
      closed = true;
      processes.forEach(process -> {
        process.descendants().forEach(all::add);
        all.add(process.toHandle());
      });
    }
    end(all);
  }

  /** Ends processes, forcibly if they do not end within two seconds. */
  static void end(List<ProcessHandle> processes) {
    processes.forEach(ProcessHandle::destroy);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    for (ProcessHandle process : processes) {
      try {
        process.onExit().get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
      } catch (Exception e) { // it takes too long, or this thread is interrupted
        process.destroyForcibly();
      }
    }
  }
}

package dev.repartee.acp.local;

import dev.repartee.acp.types.TerminalExitStatus;
import dev.repartee.acp.types.TerminalOutputResponse;
import dev.repartee.internal.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A child process with the last part of its output. Thread-safe. */
final class Command {
  private static final int SIGNAL = 128;
  private static final int SIGKILL = 9;
  private static final int SIGTERM = 15;

  private final Process process;
  private final String session;
  private final OutputTail output;
  private final CompletableFuture<TerminalExitStatus> exit = new CompletableFuture<>();

  private volatile boolean killed;

  private Command(Process process, String session, int mostBytes) {
    this.process = process;
    this.session = session;
    this.output = new OutputTail(mostBytes);
  }

  /**
   * Starts a command.
   *
   * @param mostBytes the number of bytes of output to keep
   */
  static Command start(ProcessBuilder builder, String session, int mostBytes) throws IOException {
    Command command = new Command(builder.start(), session, mostBytes);
    command.process.getOutputStream().close(); // ACP has no input for commands
    Threads.start("repartee-acp-terminal", command::read);
    return command;
  }

  String session() {
    return session;
  }

  /** Reads the output to its end, and then reports the exit status. */
  private void read() {
    byte[] buffer = new byte[8 << 10];
    try (InputStream in = process.getInputStream()) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        output.add(buffer, count);
      }
    } catch (IOException e) {
      // The output ends here.
    }
    process.onExit().thenAccept(ended -> exit.complete(status(ended.exitValue())));
  }

  private TerminalExitStatus status(int code) {
    // Java returns 128 plus the number of the signal, as shells do.
    if (killed && code == SIGNAL + SIGKILL) {
      return new TerminalExitStatus().withSignal("SIGKILL");
    } else if (killed && code == SIGNAL + SIGTERM) {
      return new TerminalExitStatus().withSignal("SIGTERM");
    }
    return new TerminalExitStatus().withExitCode((long) code);
  }

  TerminalOutputResponse output() {
    // Reads the status first: if it is present, the output is complete.
    TerminalExitStatus status = exit.getNow(null);
    OutputTail.Text text = output.text();
    return new TerminalOutputResponse(text.text(), text.isCut()).withExitStatus(status);
  }

  CompletableFuture<TerminalExitStatus> exit() {
    return exit.copy(); // a caller may cancel its future
  }

  /** Ends the command and the processes that it has started. */
  void kill() {
    killed = true;
    // Lists the descendants first, because they cannot be found after their parent has ended. Ends
    // the parent first, because a shell would print a message about a killed child.
    List<ProcessHandle> children = process.descendants().toList();
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    // Does not wait for the end of the output: a process outside of the tree may keep it open.
    process.onExit().thenAccept(ended -> exit.complete(status(ended.exitValue())));
  }
}

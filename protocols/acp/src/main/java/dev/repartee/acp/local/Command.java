package dev.repartee.acp.local;

import dev.repartee.acp.types.TerminalExitStatus;
import dev.repartee.acp.types.TerminalOutputResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A command with the end of its output. Thread-safe. */
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
    command.process.getOutputStream().close(); // there is no input
    Thread reader = new Thread(command::read, "repartee-acp-terminal");
    reader.setDaemon(true);
    reader.start();
    return command;
  }

  String session() {
    return session;
  }

  /** Reads the output. The command has ended when its output has, or when it was killed. */
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
    // Java adds 128 to the number of a signal, as shells do.
    if (killed && code == SIGNAL + SIGKILL) {
      return new TerminalExitStatus().withSignal("SIGKILL");
    } else if (killed && code == SIGNAL + SIGTERM) {
      return new TerminalExitStatus().withSignal("SIGTERM");
    }
    return new TerminalExitStatus().withExitCode((long) code);
  }

  TerminalOutputResponse output() {
    // The status first: with it, the output is complete.
    TerminalExitStatus status = exit.getNow(null);
    OutputTail.Text text = output.text();
    return new TerminalOutputResponse(text.text(), text.isCut()).withExitStatus(status);
  }

  CompletableFuture<TerminalExitStatus> exit() {
    return exit.copy(); // a cancelled wait does not end the others
  }

  /** Ends the command and the processes that it has started. */
  void kill() {
    killed = true;
    // None are found once their parent has ended. It ends first: a shell whose child is killed
    // writes about it.
    List<ProcessHandle> children = process.descendants().toList();
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    // A process that has left the group may keep the output open.
    process.onExit().thenAccept(ended -> exit.complete(status(ended.exitValue())));
  }
}

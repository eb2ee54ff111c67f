package dev.repartee.benchmarks.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A child process that exchanges lines with this one, and ends with its standard input. */
public final class Child implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 5;

  /** Longer than any slice, and than the time-out of a library that has lost an answer. */
  private static final int SILENCE_SECONDS = 60;

  /** The time for the system to end a killed process, sufficient on a busy machine. */
  private static final int KILL_MINUTES = 2;

  private final Process process;
  private final BufferedReader out;
  private final PrintStream in;
  private final String log;

  /** Starts the process; its standard error is appended to {@code log}. */
  public Child(List<String> command, Path log) throws IOException {
    this(command, ProcessBuilder.Redirect.appendTo(log.toFile()), log.toString());
  }

  /** Starts the process; it inherits the standard error of this process. */
  public Child(List<String> command) throws IOException {
    this(command, ProcessBuilder.Redirect.INHERIT, "the standard error");
  }

  private Child(List<String> command, ProcessBuilder.Redirect errors, String log)
      throws IOException {
    this.log = log;
    process = new ProcessBuilder(command).redirectError(errors).start();
    out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    in = new PrintStream(process.getOutputStream(), true, UTF_8);
  }

  public void say(String line) {
    in.println(line);
  }

  /**
   * Returns the next line of its output.
   *
   * @throws IOException if the process has ended, or was killed after a minute of silence
   */
  public String hear() throws IOException {
    FutureTask<@Nullable String> reading = new FutureTask<>(out::readLine);
    Thread reader = new Thread(reading, "hear");
    reader.setDaemon(true);
    reader.start();
    try {
      String line = reading.get(SILENCE_SECONDS, TimeUnit.SECONDS);
      if (line == null) {
        throw new IOException("a process has ended; see " + log);
      }
      return line;
    } catch (ExecutionException | TimeoutException | InterruptedException e) {
      process.destroyForcibly();
      throw new IOException("a process said nothing and was killed; see " + log, e);
    }
  }

  /** Says a line and returns the next line of the output; see {@link #hear}. */
  public String ask(String line) throws IOException {
    say(line);
    return hear();
  }

  public long pid() {
    return process.pid();
  }

  /** Ends the process with SIGTERM, as a service manager does, and waits for its end. */
  public void terminate() {
    process.toHandle().destroy(); // unlike Process.destroy, keeps its streams open
    process.onExit().orTimeout(KILL_MINUTES, TimeUnit.MINUTES).join();
    close();
  }

  /** Kills the process, like a system that has run out of memory, and waits for its end. */
  public void kill() {
    process.destroyForcibly().onExit().orTimeout(KILL_MINUTES, TimeUnit.MINUTES).join();
    close();
  }

  @Override
  public void close() {
    in.close();
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}

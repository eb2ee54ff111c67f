package dev.repartee.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process that is talked to in lines, and goes when its standard input ends. */
final class Child implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 5;

  private final Process process;
  private final BufferedReader out;
  private final PrintStream in;
  private final Path log;

  /** Starts it; what it says on standard error goes to that file. */
  Child(List<String> command, Path log) throws IOException {
    this.log = log;
    process = new ProcessBuilder(command)
        .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
    out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    in = new PrintStream(process.getOutputStream(), true, UTF_8);
  }

  void say(String line) {
    in.println(line);
  }

  /** The next line that it prints. */
  String hear() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new IOException("a process has ended; see " + log);
    }
    return line;
  }

  long pid() {
    return process.pid();
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

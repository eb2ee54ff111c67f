package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.internal.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CompletableFuture;

/** A client that is a shell command; {@code {uri}} in the command is the endpoint to call. */
record CommandClient(String command) implements Client {
  private static final int MAX_OUTPUT = 1 << 20;

  @Override
  public String call(String uri) throws IOException, InterruptedException {
    boolean windows = System.getProperty("os.name").startsWith("Windows");
    ProcessBuilder builder = new ProcessBuilder(
            windows ? "cmd.exe" : "sh", windows ? "/c" : "-c", command.replace("{uri}", uri))
        .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("REPARTEE_URI", uri);
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      CompletableFuture<String> output =
          CompletableFuture.supplyAsync(() -> printed(process), Threads.CALLS);
      int exit = process.waitFor();
      String printed = output.join();
      if (exit != 0) {
        throw new IOException(
            "exit code " + exit + (printed.isBlank() ? "" : " and " + printed.strip()));
      }
      return printed;
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  /**
   * Returns the output of the process. Runs on another thread, as reading cannot be interrupted.
   */
  private static String printed(Process process) {
    try (InputStream out = process.getInputStream()) {
      return new String(out.readNBytes(MAX_OUTPUT), UTF_8);
    } catch (IOException e) {
      return ""; // the process was killed
    }
  }
}

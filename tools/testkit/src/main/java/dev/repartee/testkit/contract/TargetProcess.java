package dev.repartee.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.testkit.attack.TargetServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import org.jspecify.annotations.Nullable;

/**
 * A {@link TargetServer} in a process with 256 MB of memory, which is started when its URI is
 * needed.
 */
final class TargetProcess {
  private final String listen;
  private @Nullable Process process;
  private String uri = "";

  /** Uses {@code listen} as the URI to listen on. */
  TargetProcess(String listen) {
    this.listen = listen;
  }

  /** Returns the URI of the target; starts the process if it is not running. */
  String uri() throws IOException {
    if (!isAlive()) {
      start();
    }
    return uri;
  }

  boolean isAlive() {
    return process != null && process.isAlive();
  }

  private void start() throws IOException {
    Process started = new ProcessBuilder(
            System.getProperty("java.home") + "/bin/java",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx256m",
            "-XX:+ExitOnOutOfMemoryError",
            "-cp",
            System.getProperty("java.class.path"),
            TargetServer.class.getName(),
            listen)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
    process = started;
    BufferedReader errors = started.errorReader(UTF_8);
    String line = errors.readLine();
    while (line != null && !line.startsWith("listening on ")) {
      line = errors.readLine(); // the JVM may write warnings first
    }
    assertThat(line).as("the line that names the URI of the target").isNotNull();
    uri = line.substring("listening on ".length());
    Thread reader = new Thread(() -> discard(errors), "target-errors");
    reader.setDaemon(true);
    reader.start();
  }

  /** Reads to the end, because the process would block on a full pipe. */
  private static void discard(BufferedReader errors) {
    try (errors) {
      errors.transferTo(Writer.nullWriter());
    } catch (IOException e) {
      // The process was killed.
    }
  }

  void close() {
    if (process != null) {
      process.destroyForcibly();
    }
  }
}

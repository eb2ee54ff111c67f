package dev.repartee.testkit;

import dev.repartee.Call;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.testkit.examples.ExampleMethods;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A server in a separate process. */
public final class Demo extends ExampleMethods {
  /** Creates the methods. */
  public static final Service SERVICE = new Demo().service();

  /** Serves standard input, as a child process of a test. */
  public static void main(String[] args) throws Exception {
    try (Server server = Repartee.listen(args[0], SERVICE)) {
      System.err.println("listening on " + server.endpoint());
      server.join();
    }
  }

  /** Starts {@link #main} in a separate process with little memory, listening on TCP. */
  static Child start() throws IOException {
    List<String> command = new ArrayList<>(command("tcp://127.0.0.1:0"));
    command.add(1, "-Xmx256m");
    Process process = new ProcessBuilder(command).start();
    BufferedReader said = process.errorReader();
    String line = String.valueOf(said.readLine());
    if (!line.startsWith("listening on ")) {
      process.destroyForcibly();
      throw new IOException("the server said: " + line);
    }
    Thread reader = new Thread(() -> discard(said), "demo-errors");
    reader.setDaemon(true);
    reader.start();
    return new Child(process, line.substring("listening on ".length()));
  }

  /** Reads to the end: the log of violations would fill the pipe, and the process would block. */
  private static void discard(BufferedReader errors) {
    try (errors) {
      errors.transferTo(Writer.nullWriter());
    } catch (IOException e) {
      // The process was killed.
    }
  }

  /**
   * A server in another process.
   *
   * @param process the process
   * @param uri the URI on which it listens
   */
  record Child(Process process, String uri) implements AutoCloseable {
    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  /** Returns the URI that runs {@link #main} in another process. */
  static String exec(String listen) {
    return "exec:" + Json.of(command(listen));
  }

  private static List<String> command(String listen) {
    return List.of(
        System.getProperty("java.home") + "/bin/java",
        "-XX:TieredStopAtLevel=1",
        "-cp",
        System.getProperty("java.class.path"),
        Demo.class.getName(),
        listen);
  }

  @Rpc
  public long sleep(long millis, Call call) throws InterruptedException {
    call.cancellation().sleep(Duration.ofMillis(millis));
    return millis;
  }
}

package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A peer that sends a line again and again until its connection ends. */
final class Pushing implements AutoCloseable {
  private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());

  Pushing(String line) throws IOException {
    byte[] bytes = line.getBytes(UTF_8);
    Thread thread = new Thread(() -> push(bytes), "pushing");
    thread.setDaemon(true);
    thread.start();
  }

  private void push(byte[] bytes) {
    try (Socket connection = listener.accept();
        OutputStream out = connection.getOutputStream()) {
      connection.getInputStream().read();
      while (true) {
        out.write(bytes);
      }
    } catch (IOException e) {
      // The command has ended.
    }
  }

  /** Runs a command on a request and reads a single line of its output, as head -1 does. */
  int exitAfterReadingOneLine(String command, String... options) throws Exception {
    List<String> words =
        new ArrayList<>(List.of(command, "tcp://127.0.0.1:" + listener.getLocalPort()));
    words.addAll(Arrays.asList(options));
    Process process = new ProcessBuilder(Child.command(words.toArray(String[]::new)))
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
    try {
      try (OutputStream in = process.getOutputStream()) {
        in.write("""
            {"jsonrpc":"2.0","method":"m","id":1}
            """.getBytes(UTF_8));
      }
      try (BufferedReader reader =
          new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
        assertThat(reader.readLine()).isNotNull();
      }
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("it has ended").isTrue();
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}

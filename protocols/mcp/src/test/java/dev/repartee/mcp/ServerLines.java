package dev.repartee.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Server;
import dev.repartee.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** {@link TestServer}, driven line by line. */
final class ServerLines implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 60;

  private final @Nullable Process process;
  private final Runnable end;
  private final OutputStream in;
  private final BufferedReader out;

  private ServerLines(@Nullable Process process, Runnable end, OutputStream in, InputStream out) {
    this.process = process;
    this.end = end;
    this.in = in;
    this.out = new BufferedReader(new InputStreamReader(out, UTF_8));
  }

  /** Starts the server in a separate process, on its standard input and output. */
  static ServerLines ofProcess() throws IOException {
    Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            TestServer.class.getName())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
    return new ServerLines(
        process, process::destroyForcibly, process.getOutputStream(), process.getInputStream());
  }

  /**
   * Starts the server in this process, on a TCP connection: its messages have the same rules, and a
   * process needs a second of CPU time to start.
   */
  static ServerLines ofConnection() throws IOException {
    Server server = TestServer.builder().build().listen("tcp://127.0.0.1:0#framing=lines");
    Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), server.port());
    socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    return new ServerLines(null, server::close, socket.getOutputStream(), socket.getInputStream());
  }

  ServerLines say(String line) throws IOException {
    in.write((line + "\n").getBytes(UTF_8));
    in.flush();
    return this;
  }

  Json hear() throws IOException {
    return Json.parse(out.readLine());
  }

  /** Performs the handshake of a revision. */
  ServerLines begin(String revision) throws IOException {
    say("""
        {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"%s",\
        "capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}\
        """.formatted(revision));
    hear();
    return say("""
        {"jsonrpc":"2.0","method":"notifications/initialized"}""");
  }

  /** Closes the standard input of the process, as clients do; returns its exit code. */
  int end() throws IOException, InterruptedException {
    Process ending = Objects.requireNonNull(process);
    in.close();
    return ending.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) ? ending.exitValue() : -1;
  }

  @Override
  public void close() throws IOException {
    in.close();
    end.run();
  }
}

package dev.repartee.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** {@link TestServer} in a separate process, driven line by line. */
final class ServerProcess implements AutoCloseable {
  private final Process process;
  private final OutputStream in;
  private final BufferedReader out;

  ServerProcess() throws IOException {
    process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            TestServer.class.getName())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
    in = process.getOutputStream();
    out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
  }

  ServerProcess say(String line) throws IOException {
    in.write((line + "\n").getBytes(UTF_8));
    in.flush();
    return this;
  }

  Json hear() throws IOException {
    return Json.parse(out.readLine());
  }

  /** Performs the handshake of a revision. */
  ServerProcess begin(String revision) throws IOException {
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
    in.close();
    return process.waitFor(30, TimeUnit.SECONDS) ? process.exitValue() : -1;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}

package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server that the client starts as a child process ({@link #main}), which plays the script on its
 * standard streams. The script is passed to the process in a temporary file, and its finding
 * returns in another one.
 */
final class ChildServer implements ScriptedServer {
  private final Endpoint endpoint;
  private final Path script = Files.createTempFile("conformance", ".json");
  private final Path fault = Files.createTempFile("conformance", ".txt");

  ChildServer(Endpoint endpoint) throws IOException {
    this.endpoint = endpoint;
  }

  /** Plays the script in the first file, and writes the fault of the call to the second file. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Json script = Json.parse(Files.readAllBytes(Path.of(args[0])));
    Path told = Path.of(args[1]);
    try (ChannelServer server =
        new ChannelServer(Endpoint.parse("stdio:"), script, fault -> tell(told, fault))) {
      server.awaitEnd();
    }
  }

  private static void tell(Path file, @Nullable String fault) {
    try {
      Files.writeString(file, fault == null ? "" : fault);
    } catch (IOException e) {
      System.err.println("cannot report the call: " + e.getMessage());
    }
  }

  @Override
  public String uri() {
    List<String> command = List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        System.getProperty("java.class.path"),
        ChildServer.class.getName(),
        script.toString(),
        fault.toString());
    return new Endpoint("exec", Json.of(command).toString(), endpoint.options()).toString();
  }

  @Override
  public void play(Json script) throws IOException {
    Files.write(this.script, script.toBytes());
    Files.writeString(fault, ChannelServer.NO_CALL);
  }

  @Override
  public @Nullable String fault() throws IOException {
    String said = Files.readString(fault, UTF_8);
    return said.isEmpty() ? null : said;
  }

  @Override
  public void close() {
    for (Path file : List.of(script, fault)) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        // The system removes temporary files.
      }
    }
  }
}

package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.util.List;

/**
 * Runs the most frequent uses of the command once, so that the JVM can archive the classes that
 * they load (AppCDS). The launcher runs this program in the background, and later starts are
 * faster. Standard input holds the messages of a client of {@code serve --listen stdio:}.
 */
final class Rehearsal {
  private Rehearsal() {}

  /** Serves and calls over loopback, then serves standard input until its end. */
  public static void main(String[] args) {
    try {
      rehearse();
    } catch (IOException | RuntimeException | Error e) {
      System.exit(Exit.DEFECT); // otherwise threads of the servers would keep the process alive
    }
    Main.main(new String[] {"serve", "--listen", "stdio:"});
  }

  private static void rehearse() throws IOException {
    BufferedReader lines =
        serve("serve", "--listen", "tcp://127.0.0.1:0", "--listen", "http://127.0.0.1:0/");
    Stdio client = stdio(new PrintStream(OutputStream.nullOutputStream(), true, UTF_8));
    for (int i = 0; i < 2; i++) {
      String uri = listening(lines);
      for (List<String> words : List.of(
          List.of("call", uri, "subtract", "42", "23"),
          List.of("call", uri, "subtract", "--named", "minuend=42", "--named", "subtrahend=23"),
          List.of("notify", uri, "update", "1"),
          List.of("list", uri))) {
        Main.run(client, words.toArray(String[]::new));
      }
    }
    BufferedReader tools = serve(
        "mcp",
        "serve",
        "--class",
        "java.lang.Math",
        "--listen",
        "tcp://127.0.0.1:0",
        "--listen",
        "http://127.0.0.1:0/mcp");
    useTool(listening(tools));
    String mcp = listening(tools);
    Main.run(client, "mcp", "tools", mcp);
    Main.run(client, "mcp", "call", mcp, "hypot", "arg0=3", "arg1=4");
  }

  /** Runs a serving command in a daemon thread and returns its standard error. */
  private static BufferedReader serve(String... words) throws IOException {
    PipedInputStream said = new PipedInputStream();
    PrintStream err = new PrintStream(new PipedOutputStream(said), true, UTF_8);
    Thread serving = new Thread(() -> {
      try (err) { // otherwise the reader would wait if the server ends immediately
        Main.run(stdio(err), words);
      }
    });
    serving.setDaemon(true);
    serving.start();
    return new BufferedReader(new InputStreamReader(said, UTF_8));
  }

  private static String listening(BufferedReader lines) throws IOException {
    String line = lines.readLine();
    while (line != null && line.startsWith("repartee: not served: ")) {
      line = lines.readLine();
    }
    if (line == null) {
      throw new IOException("the server has ended");
    }
    return line.substring("listening on ".length());
  }

  /** Sends the first messages of an MCP client. */
  private static void useTool(String uri) throws IOException {
    try (Peer client = Repartee.connect(uri)) {
      client
          .request("initialize")
          .params(Json.parse("{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
              + "\"clientInfo\":{\"name\":\"rehearsal\",\"version\":\"1\"}}"))
          .call(Json.class);
      client.request("notifications/initialized").sendNotification();
      client.request("tools/list").call(Json.class);
      client
          .request("tools/call")
          .params(Json.parse("{\"name\":\"hypot\",\"arguments\":{\"arg0\":3,\"arg1\":4}}"))
          .call(Json.class);
    }
  }

  private static Stdio stdio(PrintStream err) {
    return new Stdio(
        InputStream.nullInputStream(), OutputStream.nullOutputStream(), err, false, false);
  }
}

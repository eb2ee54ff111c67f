package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

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
 * Does once what the command does most often, so that the JVM can archive the classes that it took:
 * the launcher runs this in the background, and every later start is quicker for it. Standard input
 * is what a client of {@code serve --listen stdio:} says.
 */
final class Rehearsal {
  private Rehearsal() {}

  /** Serves and calls over loopback, then serves standard input until its end. */
  public static void main(String[] args) throws IOException {
    PipedInputStream said = new PipedInputStream();
    Stdio server = stdio(new PrintStream(new PipedOutputStream(said), true, UTF_8));
    Thread serving = new Thread(() -> Main.run(
        server, "serve", "--listen", "tcp://127.0.0.1:0", "--listen", "http://127.0.0.1:0/"));
    serving.setDaemon(true);
    serving.start();
    BufferedReader lines = new BufferedReader(new InputStreamReader(said, UTF_8));
    Stdio client = stdio(new PrintStream(OutputStream.nullOutputStream(), true, UTF_8));
    for (int i = 0; i < 2; i++) {
      String uri = lines.readLine().substring("listening on ".length());
      for (List<String> words : List.of(
          List.of("call", uri, "subtract", "42", "23"),
          List.of("call", uri, "subtract", "--named", "minuend=42", "--named", "subtrahend=23"),
          List.of("notify", uri, "update", "1"))) {
        Main.run(client, words.toArray(String[]::new));
      }
    }
    Main.main(new String[] {"serve", "--listen", "stdio:"});
  }

  private static Stdio stdio(PrintStream err) {
    return new Stdio(
        InputStream.nullInputStream(), OutputStream.nullOutputStream(), err, false, false);
  }
}

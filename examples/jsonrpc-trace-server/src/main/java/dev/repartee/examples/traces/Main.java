package dev.repartee.examples.traces;

import dev.repartee.Options;
import dev.repartee.limits.Limits;
import dev.repartee.lsp.LspServer;
import java.io.IOException;
import java.util.List;

/** The command: serves the editor that has started it, until the editor ends it. */
public final class Main {
  private static final String HELP = """
      usage: examples/jsonrpc-trace-server/server [--stdio | URI]

      A language server for traces of JSON-RPC: recordings of Repartee, and files with one message
      in each line. An editor starts it and speaks LSP with it over standard input and output.

        URI   connects to an editor that listens: tcp://127.0.0.1:PORT, or unix:PATH
      """;

  /** Leaves room for a large trace as a string of JSON. */
  private static final int FRAME_BYTES = 64 << 20;

  private Main() {}

  /** Runs the command. */
  public static void main(String[] args) throws InterruptedException {
    List<String> words = List.of(args);
    if (words.contains("--help")) {
      System.out.print(HELP);
      return;
    }
    String uri = words.isEmpty() || words.get(0).equals("--stdio") ? "stdio:" : words.get(0);
    if (words.size() > 1 || uri.startsWith("-")) {
      System.err.print(HELP);
      System.exit(2);
    }
    Limits limits =
        Limits.builder().frameBytes(FRAME_BYTES).queuedBytes(2 * FRAME_BYTES).build();
    Options options = LspServer.options().limits(limits).build();
    try {
      System.exit(LspServer.run(uri, new TraceServer(), options));
    } catch (IOException | IllegalArgumentException e) {
      System.err.println("server: " + e.getMessage());
      System.exit(2);
    }
  }
}

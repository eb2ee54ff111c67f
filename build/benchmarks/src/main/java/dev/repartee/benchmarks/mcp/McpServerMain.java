package dev.repartee.benchmarks.mcp;

import dev.repartee.Server;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;

/**
 * The process of the server that all clients call: {@code McpServerMain URI}. Prints its address,
 * except on standard streams, and ends with its standard input.
 */
final class McpServerMain {
  static final String STDIO = "stdio:";
  static final String HTTP = "http://127.0.0.1:0/mcp";

  /** The arguments of the tool. */
  record Operands(int minuend, int subtrahend) {}

  private McpServerMain() {}

  /** Starts to serve. */
  static Server listen(String uri) throws Exception {
    return McpServer.builder("calculator", "1")
        .tool(Tool.named("subtract")
            .description("Subtracts a number from another")
            .readOnly(true)
            .handle(
                Operands.class,
                (call, given) -> Integer.toString(given.minuend() - given.subtrahend())))
        .build()
        .listen(uri);
  }

  public static void main(String[] args) throws Exception {
    Server server = listen(args[0]);
    if (args[0].equals(STDIO)) {
      server.join();
    } else {
      System.out.println(server.endpoint());
      System.in.transferTo(System.err);
    }
    System.exit(0);
  }
}

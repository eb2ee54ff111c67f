package dev.repartee.benchmarks.startup;

import dev.repartee.Lane;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.benchmarks.peers.Lsp4j;
import dev.repartee.mcp.Tool;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.eclipse.lsp4j.jsonrpc.Launcher;

/**
 * A program that serves one method on its standard streams, written like the library's own
 * examples.
 */
final class StdioMain {
  private StdioMain() {}

  /** The method that Repartee serves. */
  public static final class Calculator {
    /** Returns the difference of two numbers. */
    @Rpc(lane = Lane.INLINE)
    public int subtract(int minuend, int subtrahend) {
      return minuend - subtrahend;
    }
  }

  /** Serves with the library of that name until the end of its input. */
  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "repartee" -> repartee();
      case "lsp4j" -> Lsp4jMain.run();
      case "repartee-mcp" -> ReparteeMcpMain.run();
      case "mcp-java" -> McpMain.run();
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static void repartee() throws Exception {
    try (Server server = Repartee.listen("stdio:", Service.of(new Calculator()))) {
      server.join();
    }
  }

  /** A separate class: the other programs have no LSP4J on their class path. */
  private static final class Lsp4jMain {
    static void run() throws ExecutionException, InterruptedException {
      new Launcher.Builder<Lsp4j.Calls>()
          .setLocalService(new Lsp4j.Served())
          .setRemoteInterface(Lsp4j.Calls.class)
          .setInput(System.in)
          .setOutput(System.out)
          .create()
          .startListening()
          .get();
    }
  }

  private static final class ReparteeMcpMain {
    static void run() throws Exception {
      dev.repartee.mcp.McpServer.builder("calculator", "1")
          .tool(Tool.named("subtract").handle((call, arguments) -> "19"))
          .build()
          .listen("stdio:")
          .join();
    }
  }

  private static final class McpMain {
    static void run() {
      McpSchema.Tool tool =
          McpSchema.Tool.builder("subtract", Map.of("type", "object")).build();
      McpServer.sync(new StdioServerTransportProvider(McpJsonDefaults.getMapper()))
          .serverInfo("calculator", "1")
          .toolCall(
              tool,
              (exchange, call) ->
                  McpSchema.CallToolResult.builder().addTextContent("19").build())
          .build();
    }
  }
}

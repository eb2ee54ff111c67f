package dev.repartee.mcp.client;

import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.TestServer;
import dev.repartee.mcp.Tool;

/** A server over standard input and output with a tool that ends it. */
public final class CrashingServer {
  private CrashingServer() {}

  /** Serves standard input and output. Writes a revision in the arguments to stderr. */
  public static void main(String[] args) throws Exception {
    System.err.println("a line of the server");
    McpServer server = TestServer.builder()
        .tool(Tool.named("crash").description("Ends the process").handle((call, arguments) -> {
          Runtime.getRuntime().halt(3);
          return "never";
        }))
        .tool(Tool.named("pid")
            .description("Tells the process")
            .handle((call, arguments) -> Long.toString(ProcessHandle.current().pid())))
        .build();
    server.listen("stdio:").join();
  }
}

package dev.repartee.mcp;

import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.mcp.types.LogLevel;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A server with tools that keep memory. Runs in a separate process, which exits when memory runs
 * out.
 */
@SuppressWarnings("deprecation") // deprecated by the specification, but still supported
public final class CrowdedServer {
  private static final AtomicInteger HOLDING = new AtomicInteger();
  private static final AtomicLong RELEASED = new AtomicLong();

  private CrowdedServer() {}

  /** Serves HTTP at a free port, and prints its URI. */
  public static void main(String[] args) throws Exception {
    Server server = McpServer.builder("crowded", "1")
        .tool(Tool.named("hold")
            .tasks(Tool.TaskSupport.OPTIONAL)
            .handle((call, arguments) -> hold(call)))
        .tool(Tool.named("holding").handle((call, arguments) -> Integer.toString(HOLDING.get())))
        .tool(Tool.named("release")
            .handle((call, arguments) -> Long.toString(RELEASED.incrementAndGet())))
        .tool(Tool.named("heap").handle((call, arguments) -> {
          System.gc();
          Runtime runtime = Runtime.getRuntime();
          return Long.toString(runtime.totalMemory() - runtime.freeMemory());
        }))
        .tool(Tool.named("text")
            .tasks(Tool.TaskSupport.OPTIONAL)
            .input(Json.parse("{\"type\":\"object\"}"))
            .handle((call, arguments) -> "x".repeat(arguments.get("length").as(int.class))))
        .tool(Tool.named("chat").handle((call, arguments) -> {
          for (int i = 0; i < 9; i++) {
            call.log(LogLevel.ERROR, "x".repeat(100_000));
          }
          return "said";
        }))
        .build()
        .listen("http://127.0.0.1:0/mcp");
    System.out.println(server.endpoint());
    server.join();
  }

  private static Object hold(McpCall call) throws Exception {
    long released = RELEASED.get();
    HOLDING.incrementAndGet();
    try {
      while (RELEASED.get() == released && !call.cancellation().isCancelled()) {
        Thread.sleep(10);
      }
      return "held";
    } finally {
      HOLDING.decrementAndGet();
    }
  }
}

package dev.repartee.examples.everything;

import dev.repartee.Param;
import dev.repartee.Rpc;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.McpTool;
import dev.repartee.mcp.types.LogLevel;
import java.time.Duration;

/** Tools that send something before their result: progress and log messages. */
@SuppressWarnings("deprecation") // of the specification, and still supported
final class Reports {
  private static final Duration STEP = Duration.ofMillis(50);

  @Rpc("test_tool_with_progress")
  @McpTool(value = "Reports its progress", readOnly = true, openWorld = false)
  public String progress(McpCall call) throws InterruptedException {
    call.progress(0, 100);
    call.cancellation().sleep(STEP);
    call.progress(50, 100.0, "half of it is done");
    call.cancellation().sleep(STEP);
    call.progress(100, 100);
    return "Tool with progress completed";
  }

  @Rpc("test_tool_with_logging")
  @McpTool(value = "Logs its steps", readOnly = true, openWorld = false)
  public String log(McpCall call) throws InterruptedException {
    call.log(LogLevel.INFO, "Tool execution started");
    call.cancellation().sleep(STEP);
    call.log(LogLevel.INFO, "Tool processing data");
    call.cancellation().sleep(STEP);
    call.log(LogLevel.INFO, "Tool execution completed");
    return "Tool with logging executed successfully";
  }

  /** Clients of revision 2026-07-28 get log messages only for a request that states a level. */
  @Rpc("test_logging_tool")
  @McpTool(value = "Logs at each level", readOnly = true, openWorld = false)
  public String logAll(McpCall call) {
    for (LogLevel level : LogLevel.values()) {
      call.log(level, "everything", new Entry("a message", level.ordinal()));
    }
    return "Logged at " + LogLevel.values().length + " levels";
  }

  /** A log message may be any value. */
  record Entry(String what, int severity) {}

  /**
   * Closes the connection of the client, which then reconnects and receives the result, as its
   * revision provides.
   */
  @Rpc("test_reconnection")
  @McpTool(
      value = "Closes the connection, so that the client reconnects for the result",
      readOnly = true,
      openWorld = false)
  public String reconnect(McpCall call) throws InterruptedException {
    call.closeSseStream(Duration.ofMillis(500));
    call.cancellation().sleep(STEP.multipliedBy(2));
    return "Reconnection test completed";
  }

  /** A cancelled call ends where it sleeps, and is not answered. */
  @Rpc("count_slowly")
  @McpTool(value = "Counts, and can be stopped at any time", readOnly = true, openWorld = false)
  public String count(
      McpCall call,
      @Param(description = "The number to count to, at most 1000", defaultsTo = "10") int to)
      throws InterruptedException {
    int end = Math.min(to, 1_000);
    for (int i = 1; i <= end; i++) {
      call.cancellation().sleep(STEP);
      call.progress(i, end);
    }
    return "Counted to " + end;
  }
}

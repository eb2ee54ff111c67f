package dev.repartee.mcp.client;

import dev.repartee.json.Json;
import dev.repartee.mcp.types.ToolResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A call that the server has answered directly, without a task.
 *
 * @param value the result
 */
record FinishedTask(ToolResult value) implements RemoteTask {
  @Override
  public String id() {
    return "";
  }

  @Override
  public State state() {
    return new State(Status.COMPLETED, null, Json.EMPTY_OBJECT);
  }

  @Override
  public ToolResult await(Duration limit) {
    return value;
  }

  @Override
  public CompletableFuture<ToolResult> result() {
    return CompletableFuture.completedFuture(value);
  }

  @Override
  public void cancel() {}
}

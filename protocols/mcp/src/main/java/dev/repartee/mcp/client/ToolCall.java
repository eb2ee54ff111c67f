package dev.repartee.mcp.client;

import dev.repartee.json.Json;
import dev.repartee.mcp.LogLevel;
import dev.repartee.mcp.ToolResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A builder of a tool call: {@code client.request("index").arguments(shelf).onProgress(bar::set)
 * .call()}. Not thread-safe. It may be sent more than once.
 */
public final class ToolCall {
  ToolCall(McpClient client, String tool) {}

  /**
   * Sets the arguments: a {@link Json} object, a map, a record, or any other value that {@link
   * Json#of} writes as an object. None by default.
   *
   * @throws IllegalArgumentException if the value is not written as an object
   */
  public ToolCall arguments(@Nullable Object arguments) {
    throw new UnsupportedOperationException();
  }

  /** Adds an argument. */
  public ToolCall argument(String name, @Nullable Object value) {
    throw new UnsupportedOperationException();
  }

  /**
   * Sets the time to wait for the result, {@link McpClient.Builder#timeout} by default. Then the
   * call is cancelled at the server and fails with {@link dev.repartee.CallTimeoutException}.
   */
  public ToolCall timeout(Duration timeout) {
    throw new UnsupportedOperationException();
  }

  /**
   * Asks for reports of progress. The consumer runs on a thread that reads the connection, before
   * the call completes, so it must not block.
   */
  public ToolCall onProgress(Consumer<Progress> progress) {
    throw new UnsupportedOperationException();
  }

  /**
   * Asks for the log messages of this call from a level on, in the stateless revision. Others have
   * one level for all calls, {@link McpClient#logLevel}. The messages go to {@link
   * McpClient.Builder#onLog}.
   */
  public ToolCall logLevel(LogLevel level) {
    throw new UnsupportedOperationException();
  }

  /** Adds a member to the {@code _meta} of the request. */
  public ToolCall meta(String name, Object value) {
    throw new UnsupportedOperationException();
  }

  /**
   * Sends the call and waits for its result. A task that the server makes of the call is awaited.
   *
   * @return the result, also if {@link ToolResult#isError}
   * @throws dev.repartee.RpcException if the server answers with an error
   * @throws dev.repartee.CallTimeoutException if no result arrives in time
   * @throws dev.repartee.transport.DisconnectedException if the connection was lost; the server may
   *     have run the call, which is never sent twice
   * @throws dev.repartee.ProtocolException if the answer breaks the protocol, such as structured
   *     content that does not fit the tool's output schema
   */
  public ToolResult call() {
    throw new UnsupportedOperationException();
  }

  /**
   * Sends the call. The future fails as {@link #call} does; {@link CompletableFuture#cancel}
   * cancels the call at the server.
   */
  public CompletableFuture<ToolResult> send() {
    throw new UnsupportedOperationException();
  }

  /**
   * Sends the call, and asks the server to make it a task. The future completes with the task, or
   * with a finished one if the server has answered with the result at once.
   */
  public CompletableFuture<RemoteTask> start() {
    throw new UnsupportedOperationException();
  }
}

package dev.repartee.mcp.client;

import dev.repartee.json.Json;
import dev.repartee.mcp.types.ToolResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A tool call that continues as a task of the server (extension {@code
 * io.modelcontextprotocol/tasks} of 2026-07-28, and the experimental tasks of 2025-11-25). The id
 * outlives the connection: {@link McpClient#task} returns the task of another connection.
 * Thread-safe.
 */
public interface RemoteTask {
  /** The states of a task. The last three are final. */
  enum Status {
    /** The task runs. */
    WORKING,
    /** The task waits for answers of this client. */
    INPUT_REQUIRED,
    /** The task has a result. */
    COMPLETED,
    /** The task has failed with an error of JSON-RPC. */
    FAILED,
    /** The task was cancelled. */
    CANCELLED;

    /** Returns whether the state is final. */
    public boolean isFinal() {
      return compareTo(COMPLETED) >= 0;
    }
  }

  /**
   * A state of a task.
   *
   * @param status the status
   * @param message a description of the status, or null
   * @param json the task, as the server sent it
   */
  record State(Status status, @Nullable String message, Json json) {}

  /** Returns the id. */
  String id();

  /** Asks the server for the state. Waits for the answer. */
  State state();

  /**
   * Polls until the task has ended, at the interval that the server proposes, and returns the
   * result. The handlers of the client answer the questions of the task.
   *
   * @throws dev.repartee.RpcException if the task has failed
   * @throws java.util.concurrent.CancellationException if the task was cancelled
   * @throws dev.repartee.CallTimeoutException if the task takes longer than {@code limit}; the task
   *     continues
   */
  ToolResult await(Duration limit);

  /** Returns the result without waiting; see {@link #await}. */
  CompletableFuture<ToolResult> result();

  /** Asks the server to cancel the task. Waits for the acknowledgement. */
  void cancel();
}

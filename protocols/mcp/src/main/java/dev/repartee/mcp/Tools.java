package dev.repartee.mcp;

import dev.repartee.RemoteRpcException;
import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.auth.Principal;
import dev.repartee.mcp.schema.ArgumentsException;
import dev.repartee.mcp.schema.CheckThreads;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.types.ToolResult;
import dev.repartee.mcp.wire.JsonObjectReader;
import dev.repartee.message.RpcError;
import dev.repartee.transport.ReadingThread;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Serves {@code tools/call}. */
final class Tools {
  private final McpServer server;
  private final Tasks tasks;
  private final CheckThreads checks = new CheckThreads();

  Tools(McpServer server, Tasks tasks) {
    this.server = server;
    this.tasks = tasks;
  }

  Object call(McpCall call, JsonObjectReader params) throws Exception {
    String name = params.string("name");
    Tool tool = server.tools().find(name);
    if (tool == null) {
      throw JsonObjectReader.invalid("there is no tool '" + name + "'; tools/list names all tools");
    }
    requireScopes(tool, call.principal());
    if (tool.tasks() == Tool.TaskSupport.REQUIRED) {
      call.requireTasks();
    }
    if (tool.tasks() != Tool.TaskSupport.FORBIDDEN && call.takesTasks() && !call.isRunAgain()) {
      return tasks.run(call, tool);
    }
    Json given = params.optionalObjectJson("arguments");
    Json arguments = given == null ? Json.EMPTY_OBJECT : given;
    Object value;
    try {
      String fault = tool.fault(arguments, call.cancellation()::throwIfCancelled);
      if (fault != null) {
        throw new ArgumentsException(fault);
      }
      value = tool.handler().handle(call, arguments);
    } catch (Exception e) {
      return failed(call, e);
    }
    return value instanceof CompletionStage<?> stage
        ? stage.handleAsync(
            (result, failure) -> later(call, tool, result, failure),
            task -> checker(tool).execute(task))
        : members(call, tool, value);
  }

  /**
   * Returns the executor for the result of a stage: the calling thread, unless it reads connections
   * and the result will be checked. The stage may be the {@link dev.repartee.CallFuture} of another
   * connection.
   */
  private Executor checker(Tool tool) {
    return tool.isResultChecked() && ReadingThread.isCurrent() ? checks : Runnable::run;
  }

  /**
   * Throws -32600 if the principal lacks scopes of the tool. The scopes also protect the tasks of
   * the tool.
   */
  static void requireScopes(Tool tool, @Nullable Principal principal) {
    if (!tool.isAllowedTo(principal)) {
      throw new RpcException(
          RpcError.INVALID_REQUEST,
          "Insufficient scope: this tool needs " + String.join(" ", tool.scopes()));
    }
  }

  private JsonObjectBuilder later(
      McpCall call, Tool tool, @Nullable Object result, @Nullable Throwable failure) {
    if (failure == null) {
      return members(call, tool, result);
    }
    Throwable cause = Stages.cause(failure);
    if (cause instanceof Exception e) {
      return failed(call, e);
    }
    throw new CompletionException(cause);
  }

  /**
   * Returns the result, or a failure of the tool if the result does not match the output schema.
   */
  private JsonObjectBuilder members(McpCall call, Tool tool, @Nullable Object value) {
    ToolResult result = result(value);
    String misfit = result.isError()
        ? null
        : tool.misfit(result.structured(), call.revision(), call.cancellation()::throwIfCancelled);
    return misfit == null
        ? result.members(call.revision())
        : failed(call, new IllegalStateException("the tool '" + tool.name() + "' " + misfit));
  }

  /** Converts the return value of a handler; see {@link Tool.Handler#handle}. */
  private static ToolResult result(@Nullable Object value) {
    if (value instanceof ToolResult result) {
      return result;
    } else if (value instanceof Content content) {
      return ToolResult.of(content);
    } else if (value instanceof List<?> list && list.stream().allMatch(Content.class::isInstance)) {
      return ToolResult.of(list.toArray(Content[]::new));
    } else if (value instanceof CharSequence text) {
      return ToolResult.text(text.toString());
    }
    return value == null ? ToolResult.of() : ToolResult.structured(value);
  }

  /**
   * Converts an exception to a result with {@code isError}, or throws it as an error of JSON-RPC.
   */
  private JsonObjectBuilder failed(McpCall call, Exception e) {
    ToolResult result;
    if (e instanceof ArgumentsException) {
      String what = "Invalid arguments: " + e.getMessage();
      if (!call.revision().isAtLeast(Revision.V2025_11_25)) {
        throw JsonObjectReader.invalid("arguments: " + e.getMessage());
      }
      result = ToolResult.error(what);
    } else if (e instanceof ToolException) {
      result = ToolResult.error(String.valueOf(e.getMessage()));
    } else if (e instanceof RpcException && !(e instanceof RemoteRpcException)
        || e instanceof InputRequired
        || e instanceof CancellationException) {
      throw (RuntimeException) e;
    } else {
      server.settings().options().listener().failed(call.call(), e);
      result = ToolResult.error("The tool failed; the server does not disclose the reason.");
    }
    return result.members(call.revision());
  }
}

package dev.repartee.mcp;

import dev.repartee.Call;
import dev.repartee.RemoteRpcException;
import dev.repartee.RpcException;
import dev.repartee.access.Access;
import dev.repartee.access.AccessDecision;
import dev.repartee.access.AccessDecision.Outcome;
import dev.repartee.access.Principal;
import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.schema.ArgumentsException;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.types.ToolResult;
import dev.repartee.mcp.wire.JsonObjectReader;
import dev.repartee.message.RpcError;
import dev.repartee.openrpc.schema.CheckThreads;
import dev.repartee.transport.ReadingThread;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
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
    requireRule(name, call);
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
      ToolResult explanation = explanation(call, e);
      if (explanation == null) {
        throw e;
      }
      return explanation.members(call.revision());
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

  /** Throws 401 or 403 if the rules of the access do not allow the tool to the caller. */
  private void requireRule(String tool, McpCall call) {
    Access access = server.settings().options().access();
    Principal caller = call.principal();
    if (!access.allowsPart(caller, Protocol.TOOLS_CALL, tool)) {
      audit(access, tool, call.call());
      throw refusal(caller);
    }
  }

  /** Reports the refusal of a tool, which follows the decision about the request. */
  private static void audit(Access access, String tool, Call call) {
    Consumer<? super AccessDecision> audit = access.audit();
    if (audit != null) {
      Principal caller = call.principal();
      UserCode.run(() -> audit.accept(new AccessDecision(
          Instant.now(),
          call.channel(),
          caller,
          Protocol.TOOLS_CALL + "/" + tool,
          caller == null ? Outcome.UNAUTHENTICATED : Outcome.FORBIDDEN)));
    }
  }

  /** Returns the error for a caller that may not use a tool. */
  static RpcException refusal(@Nullable Principal caller) {
    return caller == null
        ? new RpcException(401, "Valid credentials are needed")
        : new RpcException(403, "This tool is not allowed to its caller");
  }

  private JsonObjectBuilder later(
      McpCall call, Tool tool, @Nullable Object result, @Nullable Throwable failure) {
    if (failure == null) {
      return members(call, tool, result);
    }
    Throwable cause = UserCode.cause(failure);
    ToolResult explanation = cause instanceof Exception e ? explanation(call, e) : null;
    if (explanation == null) {
      throw new CompletionException(cause);
    }
    return explanation.members(call.revision());
  }

  /**
   * Returns the result, or a failure of the tool if the result does not match the output schema.
   */
  private JsonObjectBuilder members(McpCall call, Tool tool, @Nullable Object value) {
    ToolResult result = result(value);
    String misfit = result.isError()
        ? null
        : tool.misfit(result.structured(), call.revision(), call.cancellation()::throwIfCancelled);
    ToolResult fit = misfit == null
        ? result
        : undisclosed(call, new IllegalStateException("the tool '" + tool.name() + "' " + misfit));
    return fit.members(call.revision());
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
   * Returns the result with {@code isError} that informs the model of an exception; null if the
   * exception is an error of JSON-RPC, or the options map it to one.
   */
  private @Nullable ToolResult explanation(McpCall call, Exception e) {
    if (e instanceof ArgumentsException) {
      if (!call.revision().isAtLeast(Revision.V2025_11_25)) {
        throw JsonObjectReader.invalid("arguments: " + e.getMessage());
      }
      return ToolResult.error("Invalid arguments: " + e.getMessage());
    } else if (e instanceof ToolException) {
      return ToolResult.error(String.valueOf(e.getMessage()));
    }
    boolean isOfJsonRpc = e instanceof RpcException && !(e instanceof RemoteRpcException)
        || e instanceof InputRequired
        || e instanceof CancellationException
        || server.settings().options().exceptionMapper().apply(e) != null;
    return isOfJsonRpc ? null : undisclosed(call, e);
  }

  private ToolResult undisclosed(McpCall call, Exception e) {
    server.settings().options().listener().failed(call.call(), e);
    return ToolResult.error("The tool failed; the server does not disclose the reason.");
  }
}

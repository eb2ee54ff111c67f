package dev.repartee.mcp;

import dev.repartee.FrameResponder;
import dev.repartee.Handler;
import dev.repartee.Options;
import dev.repartee.Service;
import dev.repartee.access.Access;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.wire.JsonObjectReader;
import dev.repartee.mcp.wire.McpDialect;
import dev.repartee.transport.ChannelInfo;
import java.util.concurrent.CompletionStage;

/**
 * The extension {@code io.modelcontextprotocol/tasks}: runs tool calls as tasks, and serves {@code
 * tasks/get}, {@code tasks/update} and {@code tasks/cancel}.
 */
final class Tasks {
  static final String EXTENSION = "io.modelcontextprotocol/tasks";

  /** The capability with which clients and servers declare the extension. */
  static final Json CAPABILITY = Json.parse("{\"extensions\":{\"" + EXTENSION + "\":{}}}");

  private final McpServer server;
  private final FrameResponder responder;

  /**
   * Creates the extension; {@code calls} serves the inner {@code tools/call} of a {@link TaskRun}.
   */
  Tasks(McpServer server, Handler calls) {
    this.server = server;
    Options options = server.settings().options().toBuilder()
        .dialect(new McpDialect(() -> false))
        .limits(limits -> limits.handlerTimeout(server.settings().taskTime()))
        .builtins()
        .access(Access.OPEN) // the original request was admitted
        .trace(null) // and is traced
        .build();
    this.responder = FrameResponder.of(
        Service.builder().method(Protocol.TOOLS_CALL, calls).build(),
        options,
        new ChannelInfo("task", "", "message"));
  }

  /**
   * Runs a tool call as a task. For a detaching tool, runs it so that its handler can turn it into
   * a task.
   *
   * @throws dev.repartee.RpcException -31000 if there are too many tasks
   */
  CompletionStage<JsonObjectBuilder> run(McpCall call, Tool tool) {
    TaskRun run = new TaskRun(call, tool, server);
    if (!tool.isDetaching()) {
      run.detach();
    }
    return run.serve(responder);
  }

  JsonObjectBuilder get(McpCall call, JsonObjectReader params) {
    return find(call, params).details();
  }

  JsonObjectBuilder update(McpCall call, JsonObjectReader params) {
    Task task = find(call, params);
    task.answer(params.object("inputResponses").members());
    return new JsonObjectBuilder();
  }

  JsonObjectBuilder cancel(McpCall call, JsonObjectReader params) {
    find(call, params).cancel("Cancelled by the client");
    return new JsonObjectBuilder();
  }

  private Task find(McpCall call, JsonObjectReader params) {
    call.requireTasks();
    Task task = server.tasks().find(params.string("taskId"), call.principal());
    if (task == null) {
      throw JsonObjectReader.invalid("taskId: there is no such task; its lifetime may have passed");
    }
    Tools.requireScopes(task.tool(), call.principal());
    return task;
  }
}

package dev.repartee.mcp;

import dev.repartee.RemoteRpcException;
import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.RpcMethod;
import dev.repartee.Service;
import dev.repartee.access.Access;
import dev.repartee.access.Allow;
import dev.repartee.access.Principal;
import dev.repartee.json.Json;
import dev.repartee.mcp.schema.ArgumentsException;
import dev.repartee.mcp.schema.InputSchema;
import dev.repartee.mcp.schema.SelfChecked;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.ToolResult;
import dev.repartee.message.RpcError;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Creates tools from annotated Java methods. */
final class JavaTools {
  private JavaTools() {}

  /**
   * Returns a tool for each public method of a type with {@link McpTool}.
   *
   * @param object an instance of the type
   */
  static List<Tool> of(Class<?> type, Object object) {
    Map<String, McpTool> annotated = annotated(type);
    if (annotated.isEmpty()) {
      throw new IllegalArgumentException(
          type.getTypeName() + " has no public method that is annotated with @McpTool");
    }
    List<Tool> tools = new ArrayList<>();
    Service service = Service.ofAny(type, object, (name, reason) -> {
      if (annotated.containsKey(name)) {
        throw new IllegalArgumentException(type.getTypeName() + "." + name + ": " + reason);
      }
    });
    for (RpcMethod method : service.methods()) {
      McpTool annotation = annotated.get(method.name());
      if (annotation != null) {
        tools.add(tool(method, annotation));
      }
    }
    return tools;
  }

  /** Returns the annotations by the names of the tools. */
  private static Map<String, McpTool> annotated(Class<?> type) {
    Map<String, McpTool> annotated = new LinkedHashMap<>();
    for (java.lang.reflect.Method method : type.getMethods()) {
      McpTool tool = method.getAnnotation(McpTool.class);
      if (tool != null) {
        Rpc rpc = method.getAnnotation(Rpc.class);
        annotated.put(rpc == null || rpc.value().isEmpty() ? method.getName() : rpc.value(), tool);
      }
    }
    return annotated;
  }

  private static Tool tool(RpcMethod method, McpTool annotation) {
    Tool.Builder tool = Tool.named(method.name())
        .description(annotation.value())
        .input(input(method))
        .readOnly(annotation.readOnly())
        .destructive(annotation.destructive())
        .idempotent(annotation.idempotent())
        .openWorld(annotation.openWorld())
        .tasks(annotation.tasks());
    if (annotation.detaching()) {
      tool.detaching();
    }
    if (!annotation.title().isEmpty()) {
      tool.title(annotation.title());
    }
    Json result = method.result();
    if (result != null && Json.of("object").equals(result.get("type"))) {
      tool.output(InputSchema.asObject(result));
    }
    Allow allow = method.annotation(Allow.class);
    return tool.handle((Tool.Handler & SelfChecked) (call, arguments) -> {
      requireAllowed(method, allow, call.principal());
      return call(method, call, arguments);
    });
  }

  /** Throws the error of a service if the caller does not meet the annotation of a method. */
  private static void requireAllowed(
      RpcMethod method, @Nullable Allow allow, @Nullable Principal caller) {
    if (!Access.OPEN.allows(caller, method.name(), allow)) {
      throw Tools.refusal(caller);
    }
  }

  /** Returns the schema of the arguments of a method. */
  static Json input(RpcMethod method) {
    InputSchema input = new InputSchema();
    List<RpcMethod.Parameter> parameters = method.parameters();
    if (parameters != null) {
      parameters.forEach(p -> input.add(p.name(), p.schema(), p.required()));
    }
    return input.members().build();
  }

  private static @Nullable Object call(RpcMethod method, McpCall call, Json arguments)
      throws Exception {
    Object value;
    try {
      value = method.handle(call.call().with(arguments));
    } catch (RemoteRpcException e) {
      throw e; // an error of another service is not about these arguments
    } catch (RpcException e) {
      if (e.code() == RpcError.INVALID_PARAMS && e.data() != null) {
        throw new ArgumentsException(e.data().text());
      }
      throw e;
    }
    return Stages.map(value, result -> written(method, result));
  }

  private static @Nullable Object written(RpcMethod method, @Nullable Object value) {
    boolean ours = value == null
        || value instanceof ToolResult
        || value instanceof Content
        || value instanceof CharSequence
        || value instanceof List<?> list && list.stream().anyMatch(Content.class::isInstance);
    return ours ? value : method.write(value);
  }
}

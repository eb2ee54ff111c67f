package dev.repartee.mcp.client;

import dev.repartee.Param;
import dev.repartee.Rpc;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonType;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.types.ToolResult;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The invocation handler of a proxy whose methods call tools. */
final class ToolProxy implements InvocationHandler {
  /** A method: the tool, the names of its arguments, and the type of its result. */
  private record Target(String tool, String[] names, Type result, boolean isStage) {}

  private final McpClient client;
  private final Class<?> type;
  private final Map<Method, Target> targets = new HashMap<>();

  private ToolProxy(McpClient client, Class<?> type) {
    this.client = client;
    this.type = type;
    for (Method method : type.getMethods()) {
      if (Modifier.isAbstract(method.getModifiers()) && !isClose(method)) {
        targets.put(method, target(method));
      }
    }
  }

  static <T> T create(McpClient client, Class<T> type) {
    if (!type.isInterface() || type.isAnnotation() || type.isSealed()) {
      throw new IllegalArgumentException(
          type.getTypeName() + " cannot be a proxy: only an open interface can");
    }
    return type.cast(Proxy.newProxyInstance(
        type.getClassLoader(), new Class<?>[] {type}, new ToolProxy(client, type)));
  }

  private boolean isClose(Method method) {
    return AutoCloseable.class.isAssignableFrom(type)
        && method.getName().equals("close")
        && method.getParameterCount() == 0;
  }

  private Target target(Method method) {
    Rpc rpc = method.getAnnotation(Rpc.class);
    String tool = rpc == null || rpc.value().isEmpty() ? method.getName() : rpc.value();
    Parameter[] parameters = method.getParameters();
    String[] names = new String[parameters.length];
    for (int i = 0; i < names.length; i++) {
      Param param = parameters[i].getAnnotation(Param.class);
      boolean annotated = param != null && !param.value().isEmpty();
      if (!annotated && !parameters[i].isNamePresent()) {
        throw new IllegalArgumentException(where(method) + ": arguments are sent by name, so its"
            + " parameters need names: compile with -parameters or annotate them with @Param");
      }
      names[i] = annotated ? param.value() : parameters[i].getName();
    }
    Type result = method.getGenericReturnType();
    boolean isStage = CompletionStage.class.isAssignableFrom(method.getReturnType());
    if (isStage) {
      if (!method.getReturnType().isAssignableFrom(CompletableFuture.class)
          || !(result instanceof ParameterizedType)) {
        throw new IllegalArgumentException(
            where(method) + ": a result without waiting is a CompletableFuture of a type");
      }
      result = ((ParameterizedType) result).getActualTypeArguments()[0];
    }
    try {
      if (result != ToolResult.class && result != void.class && result != Void.class) {
        client.types().of(result);
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(where(method) + ": " + e.getMessage(), e);
    }
    return new Target(tool, names, result, isStage);
  }

  private String where(Method method) {
    return type.getTypeName() + "." + method.getName();
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] values)
      throws Throwable {
    Target target = targets.get(method);
    if (target != null) {
      return call(target, values);
    }
    if (method.isDefault()) {
      return InvocationHandler.invokeDefault(proxy, method, values);
    }
    return switch (method.getName()) {
      case "close" -> {
        client.close();
        yield null;
      }
      case "equals" -> values != null && proxy == values[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> type.getTypeName() + " over " + client;
    };
  }

  private @Nullable Object call(Target target, @Nullable Object @Nullable [] values) {
    ToolCall call = client.request(target.tool);
    for (int i = 0; i < target.names.length; i++) {
      Object value = values == null ? null : values[i];
      Object given = value instanceof Optional<?> optional ? optional.orElse(null) : value;
      if (given != null) {
        call.argument(target.names[i], given);
      }
    }
    if (target.names.length == 0) {
      call.arguments(Json.EMPTY_OBJECT);
    }
    CompletableFuture<@Nullable Object> answer =
        Futures.map(call.send(), result -> value(target, result));
    if (target.isStage) {
      return answer;
    }
    return Futures.<@Nullable Object>await(answer, target.tool);
  }

  private @Nullable Object value(Target target, ToolResult result) {
    if (target.result == ToolResult.class) {
      return result;
    }
    String text = text(result);
    if (result.isError()) {
      throw new ToolException(text.isEmpty() ? "the tool has failed" : text);
    }
    if (target.result == void.class || target.result == Void.class) {
      return null;
    }
    Json structured = result.structured();
    JsonType<?> type = client.types().of(target.result);
    if (structured == null) {
      return target.result == String.class ? text : parsed(target, text).as(type);
    }
    return structured.as(type);
  }

  private static Json parsed(Target target, String text) {
    try {
      return Json.parse(text);
    } catch (JsonException e) {
      throw new JsonException("the tool '" + target.tool + "' has answered with a text that is"
          + " not JSON; let the method return String or ToolResult");
    }
  }

  private static String text(ToolResult result) {
    StringBuilder all = new StringBuilder();
    for (Content content : result.content()) {
      if (content instanceof Content.Text part) {
        all.append(all.isEmpty() ? "" : "\n").append(part.text());
      }
    }
    return all.toString();
  }
}

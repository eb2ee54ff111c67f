package dev.repartee.mcp.types;

import dev.repartee.json.Binder;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.JsonWriter;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Supports {@link ToolResult} and {@link Content} as return types of methods with {@link
 * dev.repartee.mcp.McpTool}.
 */
public final class McpBinder implements Binder {
  /** For {@link java.util.ServiceLoader}. */
  public McpBinder() {}

  @Override
  public @Nullable JsonType<?> bind(Type type, JsonTypes types) {
    return type instanceof Class<?> raw
            && (raw == ToolResult.class || Content.class.isAssignableFrom(raw))
        ? Answer.INSTANCE
        : null;
  }

  /** Returns an order before the binders that support all types. */
  @Override
  public int order() {
    return -1_000;
  }

  @Override
  public boolean claims(Class<? extends Annotation> annotation) {
    return annotation == Wired.class;
  }

  /** The type of tool results: written, never read. */
  private enum Answer implements JsonType<@Nullable Object> {
    INSTANCE;

    @Override
    public Object read(byte[] bytes, int from, int to) {
      throw new JsonException("the result of a tool cannot be read as an argument");
    }

    @Override
    public void write(JsonWriter out, @Nullable Object value) {
      if (value == null) {
        out.nil();
      } else if (value instanceof Content content) {
        out.json(content.json());
      } else {
        Json result = ((ToolResult) value).members(Revision.V2026_07_28).build();
        out.json(result);
      }
    }
  }
}

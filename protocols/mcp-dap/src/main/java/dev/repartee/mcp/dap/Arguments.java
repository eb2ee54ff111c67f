package dev.repartee.mcp.dap;

import dev.repartee.json.Json;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.types.ToolException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Arguments of tools, which are valid by their schemas. */
final class Arguments {
  private Arguments() {}

  /** Returns a required text. */
  static String text(Json arguments, String name) {
    return Objects.requireNonNull(arguments.get(name), name).as(String.class);
  }

  static int number(Json arguments, String name, int otherwise) {
    Json value = arguments.get(name);
    return value == null ? otherwise : value.as(Integer.class);
  }

  /**
   * Returns the thread in the arguments, otherwise the thread of the stop, otherwise the first
   * thread.
   */
  static int thread(McpCall call, Program program, Execution.@Nullable Stop stop, Json arguments) {
    Json named = arguments.get("thread");
    if (named != null) {
      return named.as(Integer.class);
    }
    Integer stopped = stop == null ? null : stop.event().threadId();
    if (stopped != null) {
      return stopped;
    }
    return program.ask(call, "threads", to -> to.threads()).threads().stream()
        .findFirst()
        .orElseThrow(() -> new ToolException("The program has no threads yet; try again."))
        .id();
  }
}

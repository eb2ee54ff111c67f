package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A method of a JSON-RPC service, as a tool needs to know it.
 *
 * @param name its name
 * @param description what it does, or null
 * @param input the schema of its arguments, by name
 * @param output the schema of what it answers, where that is an object; null where it is not known
 * @param positions its parameters in order, where it takes them by position; null where by name
 */
record RemoteMethod(
    String name,
    @Nullable String description,
    Json input,
    @Nullable Json output,
    @Nullable List<Position> positions) {
  /**
   * A parameter by position.
   *
   * @param name the name of the argument that stands there
   * @param variadic whether the elements of that stand there one by one
   */
  record Position(String name, boolean variadic) {}

  /** One of which the name is known and nothing else. */
  static RemoteMethod unknown(String name) {
    return new RemoteMethod(name, null, Json.parse("{\"type\":\"object\"}"), null, null);
  }

  /** A tool of that name that stands for this. */
  Tool.Builder tool(String toolName) {
    Tool.Builder tool = Tool.named(toolName).input(input);
    if (!toolName.equals(name)) {
      tool.title(name);
    }
    if (description != null) {
      tool.description(description);
    }
    return output == null ? tool : tool.output(output);
  }

  /** The params of a call with these arguments, which fit the schema; null for none. */
  @Nullable Json params(Json arguments) {
    Map<String, Json> given = arguments.members();
    if (given.isEmpty()) {
      return null;
    }
    return positions == null ? arguments : Json.of(inOrder(positions, given));
  }

  /** One that is left out is null where others follow. */
  private static List<Json> inOrder(List<Position> positions, Map<String, Json> given) {
    List<Json> values = new ArrayList<>();
    int end = 0;
    for (Position position : positions) {
      Json value = given.get(position.name);
      if (value != null && position.variadic) {
        values.addAll(value.elements());
      } else {
        values.add(value == null ? Json.NULL : value);
      }
      end = value == null ? end : values.size();
    }
    return values.subList(0, end);
  }

  /**
   * What the tool answers.
   *
   * @throws ToolException if the method promises an object and has answered something else
   */
  ToolResult result(Json answer) {
    if (output != null && answer.kind() != Json.Kind.OBJECT) {
      throw new ToolException(
          "'" + name + "' answered " + answer + ", which is not the object that it promises");
    } else if (answer.kind() == Json.Kind.STRING) {
      return new ToolResult(List.of(Content.text(answer.as(String.class))), answer, false, null);
    }
    return ToolResult.structured(answer);
  }
}

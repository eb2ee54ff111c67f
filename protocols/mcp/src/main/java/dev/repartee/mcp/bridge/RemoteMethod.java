package dev.repartee.mcp.bridge;

import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.schema.InputSchema;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.types.ToolResult;
import dev.repartee.openrpc.schema.SchemaValidator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A method of a JSON-RPC service, from its description or its signature. Immutable.
 *
 * @param name the name of the method
 * @param description the description, or null
 * @param input the schema of the named arguments
 * @param output the schema of the result if the result is an object, or null
 * @param positions the positional parameters in order; null for named params
 * @param stream whether the method answers with a stream or a subscription instead of a result
 * @param notification whether the method is a notification, which has no answer
 */
public record RemoteMethod(
    String name,
    @Nullable String description,
    Json input,
    @Nullable Json output,
    @Nullable List<Position> positions,
    boolean stream,
    boolean notification) {
  /** The maximum number of characters of a result in an error message. */
  private static final int LONGEST = 300;

  /**
   * A positional parameter.
   *
   * @param name the name of the tool's argument
   * @param variadic true if the argument is an array whose elements become separate params
   */
  public record Position(String name, boolean variadic) {}

  private static final Pattern SIGNATURE = Pattern.compile("([^()]+?)\\s*\\(([^()]*)\\)");
  private static final Pattern PARAMETER =
      Pattern.compile("([A-Za-z_][A-Za-z0-9_]*)(\\?|\\.\\.\\.|)");

  /**
   * Reads the methods of a service from its OpenRPC document, version 1, except those that JSON-RPC
   * reserves. The reader is lenient: a member that is missing or invalid counts as unknown.
   *
   * @param origin the name of the document in error messages
   * @throws dev.repartee.ProtocolException if the document has no array {@code methods}, or repeats
   *     more than 32 MiB of itself by references
   */
  public static List<RemoteMethod> describedBy(Json document, String origin) {
    return new DescribedMethods(document, origin).methods();
  }

  /** Returns a method with only a name. */
  public static RemoteMethod unknown(String name) {
    return new RemoteMethod(
        name, null, Json.parse("{\"type\":\"object\"}"), null, null, false, false);
  }

  /**
   * Returns the method of a name (named params) or of a signature (positional params).
   *
   * @throws IllegalArgumentException if the text is neither
   */
  static RemoteMethod of(String signature) {
    Matcher parts = SIGNATURE.matcher(signature);
    if (!parts.matches()) {
      if (signature.indexOf('(') >= 0) {
        throw unreadable(signature);
      }
      return unknown(signature);
    }
    InputSchema input = new InputSchema();
    List<Position> positions = new ArrayList<>();
    String list = parts.group(2).strip();
    for (String entry : list.isEmpty() ? new String[0] : list.split(",", -1)) {
      Matcher parameter = PARAMETER.matcher(entry.strip());
      boolean afterRest = !positions.isEmpty() && positions.get(positions.size() - 1).variadic;
      if (!parameter.matches() || afterRest || input.has(parameter.group(1))) {
        throw unreadable(signature);
      }
      String mark = parameter.group(2);
      boolean rest = mark.equals("...");
      positions.add(new Position(parameter.group(1), rest));
      input.add(
          parameter.group(1),
          rest ? Json.parse("{\"type\":\"array\"}") : Json.TRUE,
          mark.isEmpty());
    }
    return new RemoteMethod(
        parts.group(1), null, input.members().build(), null, positions, false, false);
  }

  private static IllegalArgumentException unreadable(String signature) {
    return new IllegalArgumentException("'" + signature + "' is not a signature such as"
        + " 'name(first, second?, rest...)', with '?' after an optional parameter");
  }

  /** Starts a tool of that name for this method. */
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

  /** Returns the params of a call with valid arguments (an object), or null. */
  public @Nullable Json params(Json arguments) {
    Map<String, Json> given = arguments.members();
    if (given.isEmpty()) {
      return null;
    }
    return positions == null ? arguments : Json.of(inOrder(positions, given));
  }

  /** Orders arguments by position. A missing argument becomes null if another argument follows. */
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
   * Converts the result of the method to the result of the tool.
   *
   * @param promised the output schema; null if the method has none
   * @param cancellation throws if the call was cancelled
   * @throws ToolException if the result does not fit the output schema
   */
  ToolResult result(Json answer, @Nullable SchemaValidator promised, Runnable cancellation) {
    cancellation.run();
    if (promised != null && answer.kind() != Json.Kind.OBJECT) {
      throw new ToolException("'" + name + "' answered "
          + Text.shortened(answer.toString(), LONGEST)
          + ", but its result schema describes an object");
    }
    String misfit = promised == null ? null : promised.faultIfKnown(answer, cancellation);
    if (misfit != null) {
      throw new ToolException("the result of '" + name + "' does not fit its schema: " + misfit);
    } else if (answer.kind() == Json.Kind.STRING) {
      return new ToolResult(List.of(Content.text(answer.as(String.class))), answer, false, null);
    }
    return ToolResult.structured(answer);
  }
}

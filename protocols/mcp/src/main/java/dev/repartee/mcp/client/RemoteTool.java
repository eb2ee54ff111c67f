package dev.repartee.mcp.client;

import dev.repartee.json.Json;
import dev.repartee.mcp.http.MirroredHeaders;
import dev.repartee.mcp.wire.JsonObjectReader;
import dev.repartee.openrpc.schema.Effort;
import dev.repartee.openrpc.schema.SchemaValidator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A tool of a server. Immutable, except that the schema of the results is compiled with the first
 * result. Schemas are never fetched from the network.
 */
public final class RemoteTool {
  private final Json json;
  private final String name;
  private final @Nullable String title;
  private final @Nullable String description;
  private final Json input;
  private final @Nullable Json output;
  private final JsonObjectReader hints;
  private final @Nullable SchemaValidator results;

  private RemoteTool(Json json, JsonObjectReader in) {
    this.json = json;
    this.name = in.string("name");
    this.hints = in.optionalObject("annotations");
    String shown = in.optionalString("title");
    this.title = shown == null ? hints.optionalString("title") : shown;
    this.description = in.optionalString("description");
    Json schema = in.optionalObjectJson("inputSchema");
    if (schema == null) {
      throw JsonObjectReader.invalid("missing: inputSchema");
    }
    this.input = schema;
    this.output = in.get("outputSchema");
    this.results = output == null ? null : SchemaValidator.ofResults(output);
  }

  static RemoteTool of(Json json) {
    return new RemoteTool(json, Answers.object(json));
  }

  /** Returns the name. */
  public String name() {
    return name;
  }

  /** Returns the display name, or null. */
  public @Nullable String title() {
    return title;
  }

  /** Returns the description for the model, or null. */
  public @Nullable String description() {
    return description;
  }

  /** Returns the JSON Schema of the arguments, as the server sent it. */
  public Json input() {
    return input;
  }

  /** Returns the JSON Schema of structured results, as the server sent it, or null. */
  public @Nullable Json output() {
    return output;
  }

  /**
   * Returns {@code readOnlyHint}: whether the tool makes no changes. All hints come from the server
   * and are not verified.
   */
  public boolean isReadOnly() {
    return hint("readOnlyHint", false);
  }

  /** Returns {@code destructiveHint}: whether the changes of the tool may be destructive. */
  public boolean isDestructive() {
    return hint("destructiveHint", true);
  }

  /** Returns {@code idempotentHint}: whether a repeated call has no further effect. */
  public boolean isIdempotent() {
    return hint("idempotentHint", false);
  }

  /** Returns {@code openWorldHint}: whether the tool deals with an open world. */
  public boolean isOpenWorld() {
    return hint("openWorldHint", true);
  }

  private boolean hint(String member, boolean otherwise) {
    Json value = hints.get(member);
    return value == null ? otherwise : value.equals(Json.TRUE);
  }

  /** Returns the whole entry of {@code tools/list}, as the server sent it. */
  public Json json() {
    return json;
  }

  /** Returns the arguments that are mirrored in HTTP headers. */
  List<MirroredHeaders.Mirrored> mirrored() {
    return MirroredHeaders.in(input);
  }

  /** Returns whether the tool may run as an experimental task of 2025-11-25. */
  boolean mayBeTask() {
    return isAlwaysTask() || "\"optional\"".equals(taskSupport());
  }

  /** Returns whether the tool runs only as an experimental task of 2025-11-25. */
  boolean isAlwaysTask() {
    return "\"required\"".equals(taskSupport());
  }

  private @Nullable String taskSupport() {
    Json execution = json.get("execution");
    Json support = execution == null ? null : execution.get("taskSupport");
    return support == null ? null : support.toString();
  }

  /**
   * Returns the reason why structured content does not match the output schema, or null if it
   * matches. Computes for up to 30 seconds.
   *
   * @param cancellation throws if the check is no longer needed
   */
  @Nullable String misfit(@Nullable Json structured, Runnable cancellation) {
    if (results == null) {
      return null;
    } else if (structured == null) {
      return "the tool has an output schema, but its result has no structuredContent";
    }
    try {
      String fault = results.fault(structured, cancellation);
      return fault == null ? null : "structuredContent does not fit the output schema: " + fault;
    } catch (Effort.ExceededException e) {
      return "structuredContent " + e.getMessage();
    } catch (IllegalArgumentException e) {
      return "the output schema cannot be applied: " + e.getMessage();
    }
  }
}

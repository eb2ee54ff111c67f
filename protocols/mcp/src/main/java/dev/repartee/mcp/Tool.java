package dev.repartee.mcp;

import dev.repartee.access.Principal;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.http.MirroredHeaders;
import dev.repartee.mcp.schema.ArgumentsException;
import dev.repartee.mcp.schema.InputSchema;
import dev.repartee.mcp.schema.SelfChecked;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Icon;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.types.ToolResult;
import dev.repartee.openrpc.schema.Effort;
import dev.repartee.openrpc.schema.SchemaValidator;
import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A tool: a function that a model may call. Immutable. Created with {@link #named}:
 *
 * <pre>{@code
 * Tool.named("forecast")
 *     .description("Tells the weather of a city")
 *     .handle(City.class, (call, city) -> "Sunny in " + city.name());
 * }</pre>
 */
public final class Tool {
  private static final Json ANY_OBJECT = Json.parse("{\"type\":\"object\"}");

  /** Runs a tool. */
  @FunctionalInterface
  public interface Handler {
    /**
     * Runs the tool, on a thread that may block.
     *
     * @param arguments an object that is valid by the input schema
     * @return a {@link ToolResult}, a {@link Content}, a list of {@link Content}, a string, any
     *     other value that {@link Json#of} can write (which becomes structured content too), null
     *     for empty content, or a {@link java.util.concurrent.CompletionStage} of one of these
     * @throws dev.repartee.RpcException to answer with that JSON-RPC error
     * @throws ToolException to answer with a result with {@code isError} and the exception's
     *     message
     * @throws Exception any other exception is reported to the model only as a failure, without its
     *     message; the {@link dev.repartee.Listener} gets the exception
     */
    @Nullable Object handle(McpCall call, Json arguments) throws Exception;
  }

  /**
   * Runs a tool whose arguments are bound to a Java type.
   *
   * @param <T> the type of the arguments
   */
  @FunctionalInterface
  public interface Typed<T> {
    /** Runs the tool like {@link Handler#handle}. */
    @Nullable Object handle(McpCall call, T input) throws Exception;
  }

  /** Whether calls of a tool become tasks; see {@link Builder#tasks}. */
  public enum TaskSupport {
    /** Calls never become tasks. */
    FORBIDDEN,
    /**
     * Calls of clients that declare the tasks extension become tasks; other clients wait for the
     * result.
     */
    OPTIONAL,
    /** All calls become tasks; a client without the tasks extension gets -32021. */
    REQUIRED
  }

  private final Builder made;
  private final Handler handler;
  private final SchemaValidator arguments;
  private final SchemaValidator results;
  private final List<MirroredHeaders.Mirrored> mirrored;

  private Tool(Builder made, Handler handler) {
    this.made = new Builder(made);
    this.handler = handler;
    this.arguments = SchemaValidator.ofArguments(this.made.input);
    this.results =
        SchemaValidator.ofResults(this.made.output == null ? Json.TRUE : this.made.output);
    this.mirrored = MirroredHeaders.in(this.made.input);
  }

  /**
   * Returns a builder of a tool.
   *
   * @param name 1 to 128 ASCII letters, digits, {@code _}, {@code -} and {@code .}
   * @throws IllegalArgumentException if the name has another form
   */
  public static Builder named(String name) {
    if (!name.matches("[A-Za-z0-9_.-]{1,128}")) {
      throw new IllegalArgumentException("the name of a tool is 1 to 128 letters, digits, '_', '-'"
          + " and '.', not '" + name + "'");
    }
    return new Builder(name);
  }

  /** Returns the name of the tool. */
  public String name() {
    return made.name;
  }

  /** Returns the JSON Schema of the arguments. */
  public Json input() {
    return made.input;
  }

  Set<String> scopes() {
    return made.scopes;
  }

  /**
   * Returns whether the principal has the scopes of this tool. True for null, which means that the
   * server is not protected.
   */
  boolean isAllowedTo(@Nullable Principal principal) {
    return principal == null || principal.scopes().containsAll(made.scopes);
  }

  TaskSupport tasks() {
    return made.tasks;
  }

  boolean needsSession() {
    return made.needsSession;
  }

  /** Returns whether the handler decides when a call becomes a task. */
  boolean isDetaching() {
    return made.detaching;
  }

  Handler handler() {
    return handler;
  }

  /** Returns the arguments that clients of 2026-07-28 mirror in HTTP headers. */
  List<MirroredHeaders.Mirrored> mirrored() {
    return mirrored;
  }

  /**
   * Describes why the arguments do not match the input schema, in words that a model can act on.
   * Returns null if they match.
   */
  @Nullable String fault(Json given, Runnable cancellation) {
    if (isSelfChecked() || made.input.equals(ANY_OBJECT)) {
      return null;
    }
    try {
      return arguments.fault(given, cancellation);
    } catch (Effort.ExceededException e) {
      return "the value " + e.getMessage();
    }
  }

  /**
   * Describes why the structured content does not match the output schema. Returns null if it
   * matches, if the revision does not have output schemas, or if the content is too large to be
   * checked.
   */
  @Nullable String misfit(@Nullable Json structured, Revision revision, Runnable cancellation) {
    if (!tellsOutput(revision)) {
      return null;
    } else if (structured == null) {
      return "has an output schema, but returned no structured content";
    }
    String fault;
    try {
      fault = isSelfChecked() ? null : results.fault(structured, cancellation);
    } catch (Effort.ExceededException e) {
      return null;
    }
    return fault == null ? null : "returned a result that does not fit its output schema: " + fault;
  }

  /** Returns whether {@link #misfit} may have to check a result. */
  boolean isResultChecked() {
    return made.output != null && !isSelfChecked();
  }

  /** Returns whether the handler itself rejects arguments that do not match the schema. */
  private boolean isSelfChecked() {
    return handler instanceof SelfChecked;
  }

  private boolean tellsOutput(Revision revision) {
    Json output = made.output;
    return output != null
        && (revision.isStateless()
            || revision.isAtLeast(Revision.V2025_06_18)
                && Json.of("object").equals(output.get("type")));
  }

  /**
   * Returns the entry of {@code tools/list}, without the members that the revision does not have.
   */
  Json json(Revision revision) {
    return new JsonObjectBuilder()
        .put("name", made.name)
        .put("title", revision.isAtLeast(Revision.V2025_06_18) ? made.title : null)
        .put("description", made.description)
        .put("inputSchema", made.input)
        .put("outputSchema", tellsOutput(revision) ? made.output : null)
        .put("annotations", revision.isAtLeast(Revision.V2025_03_26) ? hints() : null)
        .putUnlessEmpty(
            "icons",
            revision.isAtLeast(Revision.V2025_11_25)
                ? made.icons.stream().map(Icon::json).toList()
                : List.of())
        .put("_meta", made.meta)
        .build();
  }

  private @Nullable Json hints() {
    JsonObjectBuilder hints = new JsonObjectBuilder()
        .put("readOnlyHint", made.readOnly)
        .put("destructiveHint", made.destructive)
        .put("idempotentHint", made.idempotent)
        .put("openWorldHint", made.openWorld);
    Json json = hints.build();
    return json.equals(Json.EMPTY_OBJECT) ? null : json;
  }

  /** Builds a {@link Tool}; {@link #handle} is the last step. Not thread-safe. */
  public static final class Builder {
    private final String name;
    private @Nullable String title;
    private @Nullable String description;
    private Json input = ANY_OBJECT;
    private @Nullable Json output;
    private @Nullable Boolean readOnly;
    private @Nullable Boolean destructive;
    private @Nullable Boolean idempotent;
    private @Nullable Boolean openWorld;
    private List<Icon> icons = List.of();
    private @Nullable Json meta;
    private Set<String> scopes = Set.of();
    private TaskSupport tasks = TaskSupport.FORBIDDEN;
    private boolean detaching;
    private boolean needsSession;

    private Builder(String name) {
      this.name = name;
    }

    private Builder(Builder other) {
      this.name = other.name;
      this.title = other.title;
      this.description = other.description;
      this.input = other.input;
      this.output = other.output;
      this.readOnly = other.readOnly;
      this.destructive = other.destructive;
      this.idempotent = other.idempotent;
      this.openWorld = other.openWorld;
      this.icons = other.icons;
      this.meta = other.meta;
      this.scopes = other.scopes;
      this.tasks = other.tasks;
      this.detaching = other.detaching;
      this.needsSession = other.needsSession;
    }

    /**
     * Requires a session for calls, for tools that use {@link McpCall#inSession}. Requests of
     * 2026-07-28 over HTTP do not belong to a session. A server with such a tool therefore offers
     * only the revisions with sessions over HTTP, for all its tools; clients that support several
     * revisions agree on one of them. Other transports offer all revisions, because a connection is
     * a session.
     */
    public Builder needsSession() {
      this.needsSession = true;
      return this;
    }

    /** Sets the display name. */
    public Builder title(String title) {
      this.title = title;
      return this;
    }

    /** Sets the description for the model: the purpose of the tool, and when to use it. */
    public Builder description(String description) {
      this.description = description;
      return this;
    }

    /**
     * Sets the JSON Schema of the arguments, 2020-12 unless it names another dialect. It is sent to
     * clients unchanged. A property with {@code x-mcp-header} is mirrored in an HTTP header by
     * clients of 2026-07-28. Arguments whose validation takes too much time or memory are rejected.
     * By default any object is valid.
     *
     * @throws IllegalArgumentException if the {@code type} of the schema is not {@code object}
     */
    public Builder input(Json schema) {
      if (!Json.of("object").equals(schema.get("type"))) {
        throw new IllegalArgumentException("the input schema of the tool '" + name
            + "' has to describe an object: {\"type\":\"object\",...}");
      }
      this.input = schema;
      return this;
    }

    /**
     * Sets the JSON Schema of the structured content. It is sent to clients unchanged. A result
     * that does not match is a failure of the tool.
     */
    public Builder output(Json schema) {
      this.output = schema;
      return this;
    }

    /** Sets the schema of the structured content to the schema of a Java type. */
    public Builder output(Type type) {
      return output(InputSchema.asObject(Json.schemaOf(type)));
    }

    /** Sets {@code readOnlyHint}: true if the tool makes no changes. */
    public Builder readOnly(boolean readOnly) {
      this.readOnly = readOnly;
      return this;
    }

    /** Sets {@code destructiveHint}: true if the changes of the tool may be destructive. */
    public Builder destructive(boolean destructive) {
      this.destructive = destructive;
      return this;
    }

    /**
     * Sets {@code idempotentHint}: true if a repeated call with the same arguments has no further
     * effect.
     */
    public Builder idempotent(boolean idempotent) {
      this.idempotent = idempotent;
      return this;
    }

    /** Sets {@code openWorldHint}: true if the tool deals with an open world, such as the web. */
    public Builder openWorld(boolean openWorld) {
      this.openWorld = openWorld;
      return this;
    }

    /** Sets the icons of the tool. Sent to clients from 2025-11-25 on. */
    public Builder icons(Icon... icons) {
      this.icons = List.of(icons);
      return this;
    }

    /** Sets the {@code _meta} of the tool, an object. */
    public Builder meta(Json meta) {
      this.meta = meta;
      return this;
    }

    /**
     * Sets the scopes that an access token needs to call the tool, if the server is {@linkplain
     * McpServer.Builder#authorization protected}.
     */
    public Builder scopes(String... scopes) {
      this.scopes = new LinkedHashSet<>(List.of(scopes));
      return this;
    }

    /**
     * Sets whether calls become tasks (2026-07-28, extension {@code
     * io.modelcontextprotocol/tasks}); {@link TaskSupport#FORBIDDEN} by default.
     *
     * <p>A client that declares the extension gets a task handle immediately and fetches the result
     * later, over any connection. The same handler serves clients without the extension. In a task,
     * {@link McpCall#ask} sets the task to {@code input_required} and waits, and {@link
     * McpCall#progress(double, Double, String) progress} sets the status message. Log messages are
     * dropped. {@link McpCall#cancellation} is the cancellation of the task. Layers see such a call
     * twice: as the request of the client, and as the run of the handler.
     */
    public Builder tasks(TaskSupport tasks) {
      this.tasks = tasks;
      return this;
    }

    /**
     * Allows the handler to turn a call into a task with {@link McpCall#detach}, for example when
     * it has all input that it needs, or only for large work. Task support becomes {@link
     * TaskSupport#OPTIONAL} if it was {@link TaskSupport#FORBIDDEN}.
     */
    public Builder detaching() {
      this.detaching = true;
      return tasks(tasks == TaskSupport.FORBIDDEN ? TaskSupport.OPTIONAL : tasks);
    }

    /**
     * Builds the tool with a handler of JSON arguments.
     *
     * @throws IllegalArgumentException if an {@code x-mcp-header} in the input schema is not valid
     */
    public Tool handle(Handler handler) {
      return new Tool(this, handler);
    }

    /**
     * Builds the tool with a handler whose arguments are bound to a record, or to any class that a
     * {@link dev.repartee.json.Binder} supports. The schema of the class becomes the input schema.
     *
     * @throws IllegalArgumentException if the class is not bound to a JSON object
     */
    public <T> Tool handle(Class<T> type, Typed<T> handler) {
      return input(InputSchema.asObject(Json.schemaOf(type))).handle((Handler & SelfChecked)
          (call, arguments) -> {
            T bound;
            try {
              bound = arguments.as(type);
            } catch (JsonException e) {
              throw new ArgumentsException(String.valueOf(e.getMessage()));
            }
            return handler.handle(call, bound);
          });
    }
  }
}

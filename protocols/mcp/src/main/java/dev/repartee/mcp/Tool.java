package dev.repartee.mcp;

import dev.repartee.Json;
import dev.repartee.JsonException;
import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Something that a model may have done. Immutable; made by {@link #named}:
 *
 * <pre>{@code
 * Tool.named("forecast")
 *     .description("Tells the weather of a city")
 *     .handle(City.class, (call, city) -> "Sunny in " + city.name());
 * }</pre>
 */
public final class Tool {
  private static final Json ANY_OBJECT = Json.parse("{\"type\":\"object\"}");

  /** What a tool does. */
  @FunctionalInterface
  public interface Handler {
    /**
     * Does it, on a thread that may block.
     *
     * @param arguments an object, which fits the input schema
     * @return a {@link ToolResult}, {@link Content}, a list of it, a text, any other value that {@link
     *     Json#of} can write (which is told as structured content too), null for nothing to say, or a
     *     {@link java.util.concurrent.CompletionStage} of one of these
     * @throws dev.repartee.RpcException to answer with that error of the protocol
     * @throws Exception anything else is told to the model as a failure of the tool, without a word of
     *     what it says: for that return {@link ToolResult#error}, or throw {@link ToolException}
     */
    @Nullable Object handle(McpCall call, Json arguments) throws Exception;
  }

  /**
   * What a tool of a typed input does.
   *
   * @param <T> what its arguments are bound to
   */
  @FunctionalInterface
  public interface Typed<T> {
    /** Does it, as {@link Handler#handle} does. */
    @Nullable Object handle(McpCall call, T input) throws Exception;
  }

  /** Whether calls of a tool become tasks; see {@link Builder#tasks}. */
  public enum TaskSupport {
    /** They never do. */
    FORBIDDEN,
    /** They do where the client takes tasks; any other waits for the answer. */
    OPTIONAL,
    /** They always do; a client that does not take tasks is refused with -32021. */
    REQUIRED
  }

  private final Builder made;
  private final Handler handler;
  private final Arguments arguments;
  private final Arguments results;
  private final List<MirroredHeaders.Mirrored> mirrored;

  private Tool(Builder made, Handler handler) {
    this.made = new Builder(made);
    this.handler = handler;
    this.arguments = new Arguments(this.made.input);
    this.results = new Arguments(this.made.output == null ? Json.TRUE : this.made.output);
    this.mirrored = MirroredHeaders.in(this.made.input);
  }

  /**
   * Starts a tool.
   *
   * @param name letters, digits and {@code _-.}, 128 characters at most
   * @throws IllegalArgumentException for any other name
   */
  public static Builder named(String name) {
    if (!name.matches("[A-Za-z0-9_.-]{1,128}")) {
      throw new IllegalArgumentException("the name of a tool is 1 to 128 letters, digits, '_', '-'"
          + " and '.', not '" + name + "'");
    }
    return new Builder(name);
  }

  /** Its name. */
  public String name() {
    return made.name;
  }

  /** The JSON Schema of its arguments. */
  public Json input() {
    return made.input;
  }

  Set<String> scopes() {
    return made.scopes;
  }

  /** Whether that principal may call it; null where the server is not protected. */
  boolean isAllowedTo(@Nullable Principal principal) {
    return principal == null || principal.scopes().containsAll(made.scopes);
  }

  TaskSupport tasks() {
    return made.tasks;
  }

  /** Whether its handler says when a call becomes a task. */
  boolean isDetaching() {
    return made.detaching;
  }

  Handler handler() {
    return handler;
  }

  /** The arguments that clients repeat in headers. */
  List<MirroredHeaders.Mirrored> mirrored() {
    return mirrored;
  }

  /** What of the arguments does not fit the input schema, for a model to mend; null if all does. */
  @Nullable String fault(Json given, Runnable cancellation) {
    if (made.checked || made.input.equals(ANY_OBJECT)) {
      return null;
    }
    try {
      return arguments.fault(given, cancellation);
    } catch (Effort.ExceededException e) {
      return "the value " + e.getMessage();
    }
  }

  /**
   * What of the structured content is not as the tool says; null if all is, or nothing is said, or it is too
   * large to be checked.
   */
  @Nullable String misfit(@Nullable Json structured, Revision revision, Runnable cancellation) {
    if (!tellsOutput(revision)) {
      return null;
    } else if (structured == null) {
      return "says what its structured content is, but answers none";
    }
    String fault;
    try {
      fault = made.checked ? null : results.fault(structured, cancellation);
    } catch (Effort.ExceededException e) {
      return null;
    }
    return fault == null ? null : "answers what its output schema does not allow: " + fault;
  }

  private boolean tellsOutput(Revision revision) {
    Json output = made.output;
    return output != null
        && (revision.isStateless()
            || revision.isAtLeast(Revision.V2025_06_18)
                && Json.of("object").equals(output.get("type")));
  }

  /** Its form in a list: what was not there yet in that revision is left out. */
  Json json(Revision revision) {
    return new Members()
        .put("name", made.name)
        .put("title", revision.isAtLeast(Revision.V2025_06_18) ? made.title : null)
        .put("description", made.description)
        .put("inputSchema", made.input)
        .put("outputSchema", tellsOutput(revision) ? made.output : null)
        .put("annotations", revision.isAtLeast(Revision.V2025_03_26) ? hints() : null)
        .putAll(
            "icons",
            revision.isAtLeast(Revision.V2025_11_25)
                ? made.icons.stream().map(Icon::json).toList()
                : List.of())
        .put("_meta", made.meta)
        .json();
  }

  private @Nullable Json hints() {
    Members hints = new Members()
        .put("readOnlyHint", made.readOnly)
        .put("destructiveHint", made.destructive)
        .put("idempotentHint", made.idempotent)
        .put("openWorldHint", made.openWorld);
    Json json = hints.json();
    return json.equals(Json.EMPTY_OBJECT) ? null : json;
  }

  /** A tool in the making. For one thread. */
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

    /** Whether the handler itself refuses arguments that do not fit the schema. */
    private boolean checked;

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
      this.checked = other.checked;
    }

    /** A name for people. */
    public Builder title(String title) {
      this.title = title;
      return this;
    }

    /** What it does and when to use it, for a model. */
    public Builder description(String description) {
      this.description = description;
      return this;
    }

    /**
     * The JSON Schema of its arguments (2020-12 unless it says otherwise), kept as it is. {@code
     * x-mcp-header} in a property has clients of 2026-07-28 repeat it in a header. Arguments that take too
     * much time or memory to be checked are refused.
     *
     * @throws IllegalArgumentException if it is not the schema of an object
     */
    public Builder input(Json schema) {
      if (!Json.of("object").equals(schema.get("type"))) {
        throw new IllegalArgumentException("the input schema of the tool '" + name
            + "' has to be that of an object: {\"type\":\"object\",...}");
      }
      this.input = schema;
      return this;
    }

    /** The JSON Schema of its structured content, kept as it is. */
    public Builder output(Json schema) {
      this.output = schema;
      return this;
    }

    /** Its structured content is of that type. */
    public Builder output(Type type) {
      return output(InputSchema.asObject(Json.schemaOf(type)));
    }

    /** Whether it changes nothing. */
    public Builder readOnly(boolean readOnly) {
      this.readOnly = readOnly;
      return this;
    }

    /** Whether it may destroy something, where it changes things. */
    public Builder destructive(boolean destructive) {
      this.destructive = destructive;
      return this;
    }

    /** Whether calling it again with the same arguments changes nothing more. */
    public Builder idempotent(boolean idempotent) {
      this.idempotent = idempotent;
      return this;
    }

    /** Whether it deals with what is outside of a closed domain, as a search of the web does. */
    public Builder openWorld(boolean openWorld) {
      this.openWorld = openWorld;
      return this;
    }

    /** Pictures of it. */
    public Builder icons(Icon... icons) {
      this.icons = List.of(icons);
      return this;
    }

    /** Members for {@code _meta}, an object. */
    public Builder meta(Json meta) {
      this.meta = meta;
      return this;
    }

    /**
     * The scopes that a token needs to call it, where the server is {@linkplain
     * McpServer.Builder#protectedBy protected}.
     */
    public Builder scopes(String... scopes) {
      this.scopes = new LinkedHashSet<>(List.of(scopes));
      return this;
    }

    /**
     * Whether its calls become tasks (2026-07-28): the client gets a handle at once and asks for what the
     * handler returns when it likes, over another connection if need be. Such a handler runs as any
     * other, and the same handler answers clients that take no tasks. What it {@linkplain McpCall#ask
     * asks} is told by the task, and it goes on where it stands when the answers have come. What it
     * tells as {@linkplain McpCall#progress progress} is what the task says of itself; its log is
     * dropped. {@link McpCall#cancellation} is that of the task. Layers see such a call twice: as it
     * comes in, and as it runs. {@link TaskSupport#FORBIDDEN} unless it is said.
     */
    public Builder tasks(TaskSupport tasks) {
      this.tasks = tasks;
      return this;
    }

    /**
     * Its handler says by {@link McpCall#detach} when a call becomes a task, if at all: once the client
     * has told what is needed to begin, or where there is much to do. {@link #tasks} says whether
     * clients have to take tasks; they need not unless it does.
     */
    public Builder detaching() {
      this.detaching = true;
      return tasks(tasks == TaskSupport.FORBIDDEN ? TaskSupport.OPTIONAL : tasks);
    }

    /** The handler itself refuses arguments that do not fit, by {@link ArgumentsException}. */
    Builder checked() {
      checked = true;
      return this;
    }

    /**
     * The tool, doing that with its arguments as they are.
     *
     * @throws IllegalArgumentException if the input schema is none
     */
    public Tool handle(Handler handler) {
      return new Tool(this, handler);
    }

    /**
     * The tool, doing that with its arguments bound to a record (or any class that a {@link
     * dev.repartee.Binder} knows), whose schema is the input's.
     *
     * @throws IllegalArgumentException if the class is not bound to a JSON object
     */
    public <T> Tool handle(Class<T> type, Typed<T> handler) {
      return input(InputSchema.asObject(Json.schemaOf(type)))
          .checked()
          .handle((call, arguments) -> {
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

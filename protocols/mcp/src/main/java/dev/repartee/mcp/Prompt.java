package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A text that users choose to begin with, made of arguments. Immutable; made by {@link #named}:
 *
 * <pre>{@code
 * Prompt.named("review").description("Reviews code").required("code", "The code")
 *     .handle((call, arguments) -> "Review this code:\n" + arguments.get("code"));
 * }</pre>
 */
public final class Prompt {
  /** Makes the messages of a prompt. */
  @FunctionalInterface
  public interface Handler {
    /**
     * Makes them, on a thread that may block.
     *
     * @param arguments by their names; those that are required are there
     * @return a text or {@link Content} that the user says, a {@link Message}, a list of these, a {@link
     *     Result}, or a {@link java.util.concurrent.CompletionStage} of one of these
     * @throws dev.repartee.RpcException to answer with that error; anything else is answered -32603
     */
    Object handle(McpCall call, Map<String, String> arguments) throws Exception;
  }

  /** Proposes values for an argument, or for a variable of a template. */
  @FunctionalInterface
  public interface Completer {
    /**
     * Proposes values, on a thread that may block.
     *
     * @param value what was typed so far
     * @param context the other arguments that are known already
     * @return the best first; of more than 100 the client is told the number
     */
    List<String> complete(String value, Map<String, String> context) throws Exception;
  }

  /**
   * What somebody says.
   *
   * @param role who
   * @param content what
   */
  public record Message(Role role, Content content) {
    Json json(Revision revision) {
      return new Members()
          .put("role", role.label())
          .put("content", content.json(revision))
          .json();
    }
  }

  /**
   * The messages with a description of them.
   *
   * @param description what they are, or null
   * @param messages what is said, in order
   */
  public record Result(@Nullable String description, List<Message> messages) {
    /** Copies the messages. */
    public Result {
      messages = List.copyOf(messages);
    }
  }

  private record Argument(
      String name,
      @Nullable String description,
      boolean required,
      @Nullable Completer completer) {
    Json json() {
      return new Members()
          .put("name", name)
          .put("description", description)
          .flag("required", required)
          .json();
    }
  }

  private final Builder made;
  private final Handler handler;

  private Prompt(Builder made, Handler handler) {
    this.made = new Builder(made);
    this.handler = handler;
  }

  /** Starts a prompt. */
  public static Builder named(String name) {
    return new Builder(name);
  }

  /** Its name. */
  public String name() {
    return made.name;
  }

  Handler handler() {
    return handler;
  }

  /** The names of the arguments that have to be given but are not. */
  List<String> missing(Map<String, String> given) {
    return made.arguments.stream()
        .filter(argument -> argument.required && !given.containsKey(argument.name))
        .map(Argument::name)
        .toList();
  }

  /** What proposes values for the argument of that name, or null. */
  @Nullable Completer completer(String argument) {
    return made.arguments.stream()
        .filter(known -> known.name.equals(argument))
        .map(Argument::completer)
        .filter(java.util.Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  boolean isCompleted() {
    return made.arguments.stream().anyMatch(argument -> argument.completer != null);
  }

  Json json() {
    return new Members()
        .put("name", made.name)
        .put("title", made.title)
        .put("description", made.description)
        .putAll("arguments", made.arguments.stream().map(Argument::json).toList())
        .putAll("icons", made.icons.stream().map(Icon::json).toList())
        .put("_meta", made.meta)
        .json();
  }

  /** What a handler returned, whatever it is, as the members of a result. */
  static Members members(Object value, Revision revision) {
    if (value instanceof Result result) {
      return new Members()
          .put("description", result.description)
          .put("messages", result.messages.stream().map(m -> m.json(revision)).toList());
    }
    List<?> parts = value instanceof List<?> list ? list : List.of(value);
    return new Members()
        .put("messages", parts.stream().map(p -> message(p).json(revision)).toList());
  }

  private static Message message(Object part) {
    if (part instanceof Message message) {
      return message;
    } else if (part instanceof Content content) {
      return new Message(Role.USER, content);
    } else if (part instanceof CharSequence text) {
      return new Message(Role.USER, Content.text(text.toString()));
    }
    throw new IllegalArgumentException("a prompt returns texts, Content or Prompt.Message, not "
        + part.getClass().getTypeName());
  }

  /** A prompt in the making. For one thread. */
  public static final class Builder {
    private final String name;
    private @Nullable String title;
    private @Nullable String description;
    private final List<Argument> arguments;
    private List<Icon> icons = List.of();
    private @Nullable Json meta;

    private Builder(String name) {
      this.name = name;
      this.arguments = new ArrayList<>();
    }

    private Builder(Builder other) {
      this.name = other.name;
      this.title = other.title;
      this.description = other.description;
      this.arguments = List.copyOf(other.arguments);
      this.icons = other.icons;
      this.meta = other.meta;
    }

    /** A name for people. */
    public Builder title(String title) {
      this.title = title;
      return this;
    }

    /** What it is for. */
    public Builder description(String description) {
      this.description = description;
      return this;
    }

    /** One more argument, which has to be given. */
    public Builder required(String name, String description) {
      arguments.add(new Argument(name, description, true, null));
      return this;
    }

    /** One more argument, which may be left out. */
    public Builder optional(String name, String description) {
      arguments.add(new Argument(name, description, false, null));
      return this;
    }

    /**
     * Has values proposed for the argument that was added last.
     *
     * @throws IllegalStateException if there is none yet
     */
    public Builder completedBy(Completer completer) {
      if (arguments.isEmpty()) {
        throw new IllegalStateException("values are proposed for an argument; add one first");
      }
      Argument last = arguments.remove(arguments.size() - 1);
      arguments.add(new Argument(last.name, last.description, last.required, completer));
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

    /** The prompt, made by that. */
    public Prompt handle(Handler handler) {
      return new Prompt(this, handler);
    }
  }
}

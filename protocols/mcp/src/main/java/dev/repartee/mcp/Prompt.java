package dev.repartee.mcp;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Icon;
import dev.repartee.mcp.types.PromptMessage;
import dev.repartee.mcp.types.PromptResult;
import dev.repartee.mcp.types.Role;
import dev.repartee.mcp.types.ToolException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A prompt: a template of messages that users choose and fill with arguments. Immutable. Created
 * with {@link #named}:
 *
 * <pre>{@code
 * Prompt.named("review").description("Reviews code").required("code", "The code")
 *     .handle((call, arguments) -> "Review this code:\n" + arguments.get("code"));
 * }</pre>
 */
public final class Prompt {
  /** Creates the messages of a prompt. */
  @FunctionalInterface
  public interface Handler {
    /**
     * Creates the messages, on a thread that may block.
     *
     * @param arguments the arguments by their names; all required arguments are present
     * @return a string or {@link Content} of the user, a {@link PromptMessage}, a list of these, a
     *     {@link PromptResult}, or a {@link java.util.concurrent.CompletionStage} of one of these
     * @throws dev.repartee.RpcException to answer with that JSON-RPC error
     * @throws Exception a {@link ToolException} is answered -32602 with its message, any other
     *     exception -32603
     */
    Object handle(McpCall call, Map<String, String> arguments) throws Exception;
  }

  /** Proposes values for an argument of a prompt, or for a variable of a resource template. */
  @FunctionalInterface
  public interface Completer {
    /**
     * Proposes values, on a thread that may block.
     *
     * @param value the text that the user has typed so far
     * @param context the values of other arguments that the user has already chosen, by their names
     * @return the proposals, best first; the client gets the first 100 and the total number
     */
    List<String> complete(String value, Map<String, String> context) throws Exception;
  }

  private record Argument(
      String name,
      @Nullable String description,
      boolean required,
      @Nullable Completer completer) {
    Json json() {
      return new JsonObjectBuilder()
          .put("name", name)
          .put("description", description)
          .flag("required", required)
          .build();
    }
  }

  private final Builder made;
  private final Handler handler;

  private Prompt(Builder made, Handler handler) {
    this.made = new Builder(made);
    this.handler = handler;
  }

  /** Returns a builder of a prompt. */
  public static Builder named(String name) {
    return new Builder(name);
  }

  /** Returns the name of the prompt. */
  public String name() {
    return made.name;
  }

  Handler handler() {
    return handler;
  }

  /** Returns the names of the required arguments that are missing. */
  List<String> missing(Map<String, String> given) {
    return made.arguments.stream()
        .filter(argument -> argument.required && !given.containsKey(argument.name))
        .map(Argument::name)
        .toList();
  }

  /** Returns the completer of the argument, or null. */
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
    return new JsonObjectBuilder()
        .put("name", made.name)
        .put("title", made.title)
        .put("description", made.description)
        .putUnlessEmpty("arguments", made.arguments.stream().map(Argument::json).toList())
        .putUnlessEmpty("icons", made.icons.stream().map(Icon::json).toList())
        .put("_meta", made.meta)
        .build();
  }

  /** Converts the return value of a handler. */
  static PromptResult result(Object value) {
    if (value instanceof PromptResult result) {
      return result;
    }
    List<?> parts = value instanceof List<?> list ? list : List.of(value);
    return new PromptResult(null, parts.stream().map(Prompt::message).toList());
  }

  private static PromptMessage message(Object part) {
    if (part instanceof PromptMessage message) {
      return message;
    } else if (part instanceof Content content) {
      return new PromptMessage(Role.USER, content);
    } else if (part instanceof CharSequence text) {
      return new PromptMessage(Role.USER, Content.text(text.toString()));
    }
    throw new IllegalArgumentException("a prompt returns texts, Content or PromptMessage, not "
        + part.getClass().getTypeName());
  }

  /** Builds a {@link Prompt}; {@link #handle} is the last step. Not thread-safe. */
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

    /** Sets the display name. */
    public Builder title(String title) {
      this.title = title;
      return this;
    }

    /** Sets the description. */
    public Builder description(String description) {
      this.description = description;
      return this;
    }

    /** Adds a required argument. */
    public Builder required(String name, String description) {
      arguments.add(new Argument(name, description, true, null));
      return this;
    }

    /** Adds an optional argument. */
    public Builder optional(String name, String description) {
      arguments.add(new Argument(name, description, false, null));
      return this;
    }

    /**
     * Sets the completer of the argument that was added last.
     *
     * @throws IllegalStateException if no argument was added yet
     */
    public Builder completedBy(Completer completer) {
      if (arguments.isEmpty()) {
        throw new IllegalStateException("a completer belongs to an argument; add one first");
      }
      Argument last = arguments.remove(arguments.size() - 1);
      arguments.add(new Argument(last.name, last.description, last.required, completer));
      return this;
    }

    /** Sets the icons of the prompt. */
    public Builder icons(Icon... icons) {
      this.icons = List.of(icons);
      return this;
    }

    /** Sets the {@code _meta} of the prompt, an object. */
    public Builder meta(Json meta) {
      this.meta = meta;
      return this;
    }

    /** Builds the prompt with its handler. */
    public Prompt handle(Handler handler) {
      return new Prompt(this, handler);
    }
  }
}

package dev.repartee.mcp.client;

import dev.repartee.json.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A prompt of a server.
 *
 * @param name the name
 * @param title a display name, or null
 * @param description a description, or null
 * @param arguments the arguments
 * @param json the whole entry of {@code prompts/list}, as the server sent it
 */
public record RemotePrompt(
    String name,
    @Nullable String title,
    @Nullable String description,
    List<Argument> arguments,
    Json json) {
  /** Copies the arguments. */
  public RemotePrompt {
    arguments = List.copyOf(arguments);
  }

  /**
   * An argument of a prompt.
   *
   * @param name the name
   * @param title a display name, or null
   * @param description a description, or null
   * @param required whether the prompt needs it
   */
  public record Argument(
      String name, @Nullable String title, @Nullable String description, boolean required) {}
}

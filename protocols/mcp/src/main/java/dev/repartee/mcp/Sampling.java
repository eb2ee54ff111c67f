package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks the client to have its model answer. Made by {@link #of(String, int)}, and more of the
 * conversation said with {@link #with}.
 *
 * @param messages the conversation so far: objects with {@code role} and {@code content}
 * @param maxTokens the most tokens that the model should answer with
 * @param more further params, such as {@code systemPrompt} and {@code temperature}, an object
 */
public record Sampling(List<Json> messages, int maxTokens, Json more) implements InputRequest {
  private static final Json CAPABILITY = Json.parse("{\"sampling\":{}}");
  private static final Json TOOLS = Json.parse("{\"sampling\":{\"tools\":{}}}");

  /** Copies the messages. */
  public Sampling {
    messages = List.copyOf(messages);
  }

  /** A text that a user says. */
  public static Sampling of(String prompt, int maxTokens) {
    return new Sampling(
        List.of(message(Role.USER, Content.text(prompt))), maxTokens, Json.EMPTY_OBJECT);
  }

  /** A message of a conversation. */
  public static Json message(Role role, Content content) {
    return new Members()
        .put("role", role.label())
        .put("content", content.json())
        .json();
  }

  /** With one more of the params that the specification knows. */
  public Sampling with(String name, Object value) {
    return new Sampling(messages, maxTokens, Members.of(more).put(name, value).json());
  }

  @Override
  public String method() {
    return "sampling/createMessage";
  }

  @Override
  public Json params(Revision revision) {
    return Members.of(more)
        .put("messages", messages)
        .put("maxTokens", maxTokens)
        .json();
  }

  @Override
  public Json capability() {
    return usesTools() ? TOOLS : CAPABILITY;
  }

  private boolean usesTools() {
    return more.get("tools") != null || more.get("toolChoice") != null;
  }

  @Override
  public boolean isTakenBy(ClientCapabilities capabilities) {
    return usesTools() ? capabilities.samplingTools() : capabilities.sampling();
  }

  @Override
  public void check(Json answer) {
    Answer.of(answer);
  }

  /**
   * What the model said.
   *
   * @param role who said it
   * @param content one block or an array of them, as it came
   * @param model which model it was
   * @param stopReason why it stopped, or null
   */
  public record Answer(
      String role, Json content, String model, @Nullable String stopReason) {
    static Answer of(Json json) {
      Fields fields = Fields.of(json);
      Json content = fields.get("content");
      if (content == null) {
        throw Fields.invalid("missing: content");
      }
      return new Answer(
          fields.string("role"),
          content,
          fields.string("model"),
          fields.optionalString("stopReason"));
    }

    /** Its text: that of all blocks that are one. */
    public String text() {
      List<Json> blocks = content.kind() == Json.Kind.ARRAY ? content.elements() : List.of(content);
      StringBuilder text = new StringBuilder();
      for (Json block : blocks) {
        Json part = block.get("text");
        if (part != null && part.kind() == Json.Kind.STRING) {
          text.append(part.as(String.class));
        }
      }
      return text.toString();
    }
  }
}

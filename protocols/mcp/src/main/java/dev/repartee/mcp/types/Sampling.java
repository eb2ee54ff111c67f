package dev.repartee.mcp.types;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.wire.JsonObjectReader;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request to the client's model to generate a message. Created with {@link #of(String, int)};
 * {@link #with} adds further params.
 *
 * @param messages the conversation so far: objects with {@code role} and {@code content}
 * @param maxTokens the maximum number of tokens to generate
 * @param more further params, such as {@code systemPrompt} and {@code temperature}, an object
 */
public record Sampling(List<Json> messages, int maxTokens, Json more) implements InputRequest {
  private static final Json CAPABILITY = Json.parse("{\"sampling\":{}}");
  private static final Json TOOLS = Json.parse("{\"sampling\":{\"tools\":{}}}");

  /** Copies the messages. */
  public Sampling {
    messages = List.copyOf(messages);
  }

  /** Returns a request with one text message of the user. */
  public static Sampling of(String prompt, int maxTokens) {
    return new Sampling(
        List.of(message(Role.USER, Content.text(prompt))), maxTokens, Json.EMPTY_OBJECT);
  }

  /** Returns a message for {@link #messages()}. */
  public static Json message(Role role, Content content) {
    return new JsonObjectBuilder()
        .put("role", role.label())
        .put("content", content.json())
        .build();
  }

  /** Returns a copy with one more param of {@code sampling/createMessage}. */
  public Sampling with(String name, Object value) {
    return new Sampling(
        messages, maxTokens, JsonObjectBuilder.of(more).put(name, value).build());
  }

  @Override
  public String method() {
    return "sampling/createMessage";
  }

  @Override
  public Json params(Revision revision) {
    return JsonObjectBuilder.of(more)
        .put("messages", messages)
        .put("maxTokens", maxTokens)
        .build();
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
   * The message that the model generated.
   *
   * @param role the role of the speaker, usually {@code assistant}
   * @param content one content block or an array of blocks, as the client sent it
   * @param model the name of the model
   * @param stopReason the reason why the model stopped, or null
   */
  public record Answer(
      String role, Json content, String model, @Nullable String stopReason) {
    /**
     * Returns the answer in the result of {@code sampling/createMessage}.
     *
     * @throws dev.repartee.RpcException -32602 if the result has another shape
     */
    public static Answer of(Json json) {
      JsonObjectReader reader = JsonObjectReader.of(json);
      Json content = reader.get("content");
      if (content == null) {
        throw JsonObjectReader.invalid("missing: content");
      }
      return new Answer(
          reader.string("role"),
          content,
          reader.string("model"),
          reader.optionalString("stopReason"));
    }

    /** Returns the text of all text blocks, joined. */
    public String text() {
      List<Json> blocks = content.kind() == Json.Kind.ARRAY ? content.elements() : List.of(content);
      StringBuilder text = new StringBuilder();
      for (Json block : blocks) {
        String part = block.string("text");
        if (part != null) {
          text.append(part);
        }
      }
      return text.toString();
    }
  }
}

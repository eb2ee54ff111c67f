package dev.repartee.mcp.types;

import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.wire.JsonObjectReader;
import org.jspecify.annotations.Nullable;

/**
 * A request for input from the user of the client: a form, or a page at a URL. Created with {@link
 * #form} and {@link #url}.
 *
 * @param message the explanation that the user sees
 * @param schema the JSON Schema of a form, an object of primitive properties; null for a page
 * @param url the URL of the page; null for a form
 * @param id the elicitation id of the page; null for a form
 */
public record Elicitation(
    String message,
    @Nullable Json schema,
    @Nullable String url,
    @Nullable String id) implements InputRequest {
  private static final Json FORM = Json.parse("{\"elicitation\":{\"form\":{}}}");
  private static final Json URL = Json.parse("{\"elicitation\":{\"url\":{}}}");

  /**
   * Returns a form with a field for each property of the schema: strings, numbers, booleans and
   * enums.
   *
   * @throws IllegalArgumentException if it is not the schema of an object with properties
   */
  public static Elicitation form(String message, Json schema) {
    if (!Json.of("object").equals(schema.get("type")) || schema.get("properties") == null) {
      throw new IllegalArgumentException(
          "a form needs the schema of an object: {\"type\":\"object\",\"properties\":{...}}");
    }
    return new Elicitation(message, schema, null, null);
  }

  /** Returns a form with a field for each component of a record. */
  public static Elicitation form(String message, Class<? extends Record> type) {
    return form(message, plain(Json.schemaOf(type)));
  }

  /** Removes {@code additionalProperties}, which is not allowed in the schema of a form. */
  private static Json plain(Json schema) {
    JsonObjectBuilder plain = new JsonObjectBuilder();
    schema.members().forEach((name, value) -> {
      if (!name.equals("additionalProperties")) {
        plain.put(name, value);
      }
    });
    return plain.build();
  }

  /**
   * Returns a page for input that must not pass through the client, such as a password (from
   * 2025-11-25 on).
   *
   * @param id a unique id; pass it to {@link dev.repartee.mcp.McpServer#completeElicitation}
   *     when the user has finished
   */
  public static Elicitation url(String message, String url, String id) {
    return new Elicitation(message, null, url, id);
  }

  @Override
  public String method() {
    return "elicitation/create";
  }

  @Override
  public Json params(Revision revision) {
    boolean modes = revision.isAtLeast(Revision.V2025_11_25);
    return new JsonObjectBuilder()
        .put("mode", url != null ? "url" : modes ? "form" : null)
        .put("message", message)
        .put("requestedSchema", schema)
        .put("url", url)
        .put("elicitationId", revision.isStateless() ? null : id)
        .build();
  }

  @Override
  public Json capability() {
    return url == null ? FORM : URL;
  }

  @Override
  public boolean isTakenBy(ClientCapabilities capabilities) {
    return url == null ? capabilities.elicitation() : capabilities.urlElicitation();
  }

  @Override
  public void check(Json answer) {
    Answer.of(answer);
  }

  /**
   * The answer of the user.
   *
   * @param action {@code accept}, {@code decline}, or {@code cancel} if the user closed the form
   *     without a choice
   * @param content the values of the form, an object, or null
   */
  public record Answer(String action, @Nullable Json content) {
    /** Returns whether the user accepted. */
    public boolean isAccepted() {
      return action.equals("accept");
    }

    /**
     * Returns the values of the form, bound to a type as by {@link Json#as(Class)}.
     *
     * @throws ToolException if the user did not accept, or accepted without values; its message
     *     explains this to the model
     * @throws RpcException -32602 if the values do not fit the type
     */
    public <T> T content(Class<T> type) {
      if (!isAccepted() || content == null) {
        throw declined();
      }
      try {
        return content.as(type);
      } catch (JsonException e) {
        throw JsonObjectReader.invalid("the user's answer does not fit: " + e.getMessage());
      }
    }

    /** Returns the exception of a handler that cannot continue without the user's consent. */
    public ToolException declined() {
      return new ToolException("The user was asked and did not agree: the answer was to " + action
          + (isAccepted() ? ", with nothing filled in" : ""));
    }

    /**
     * Returns the answer in the result of {@code elicitation/create}.
     *
     * @throws RpcException -32602 if the result has another shape
     */
    public static Answer of(Json json) {
      JsonObjectReader reader = JsonObjectReader.of(json);
      String action = reader.string("action");
      if (!action.matches("accept|decline|cancel")) {
        throw JsonObjectReader.invalid("action: expected accept, decline or cancel");
      }
      return new Answer(action, reader.optionalObjectJson("content"));
    }
  }
}

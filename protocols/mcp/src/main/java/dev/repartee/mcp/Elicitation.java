package dev.repartee.mcp;

import dev.repartee.Json;
import dev.repartee.JsonException;
import dev.repartee.RpcException;
import org.jspecify.annotations.Nullable;

/**
 * Asks the user of the client something: by a form, or on a page. Made by {@link #form} and {@link
 * #url}.
 *
 * @param message what it is about, for the user
 * @param schema the JSON Schema of a form: an object of plain values, or null for a page
 * @param url the page, or null for a form
 * @param id names the page where it is told later that the user is done with it, or null
 */
public record Elicitation(
    String message,
    @Nullable Json schema,
    @Nullable String url,
    @Nullable String id) implements InputRequest {
  private static final Json FORM = Json.parse("{\"elicitation\":{\"form\":{}}}");
  private static final Json URL = Json.parse("{\"elicitation\":{\"url\":{}}}");

  /**
   * A form with a field for each property of the schema: strings, numbers, booleans and choices.
   *
   * @throws IllegalArgumentException if it is not the schema of an object
   */
  public static Elicitation form(String message, Json schema) {
    if (!Json.of("object").equals(schema.get("type")) || schema.get("properties") == null) {
      throw new IllegalArgumentException("a form is told by the schema of an object:"
          + " {\"type\":\"object\",\"properties\":{...}}");
    }
    return new Elicitation(message, schema, null, null);
  }

  /** A form with a field for each component of a record. */
  public static Elicitation form(String message, Class<? extends Record> type) {
    return form(message, plain(Json.schemaOf(type)));
  }

  /** Without the member that the schemas of forms do not have. */
  private static Json plain(Json schema) {
    Members plain = new Members();
    schema.members().forEach((name, value) -> {
      if (!name.equals("additionalProperties")) {
        plain.put(name, value);
      }
    });
    return plain.json();
  }

  /**
   * A page, for what must not pass through the client, such as a password (from 2025-11-25 on).
   *
   * @param id unlike that of any other
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
    return new Members()
        .put("mode", url != null ? "url" : modes ? "form" : null)
        .put("message", message)
        .put("requestedSchema", schema)
        .put("url", url)
        .put("elicitationId", revision.isStateless() ? null : id)
        .json();
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
   * What the user did.
   *
   * @param action {@code accept}, {@code decline}, or {@code cancel} where it was closed without a choice
   * @param content what was filled in, an object; null where nothing was
   */
  public record Answer(String action, @Nullable Json content) {
    /** Whether the user agreed. */
    public boolean isAccepted() {
      return action.equals("accept");
    }

    /**
     * What was filled in, bound to a record as {@link Json#as(Class)} does.
     *
     * @throws ToolException if the user did not agree: a tool that does not catch it answers so in words
     * @throws RpcException -32602 if something else was filled in
     */
    public <T> T content(Class<T> type) {
      if (!isAccepted() || content == null) {
        throw declined();
      }
      try {
        return content.as(type);
      } catch (JsonException e) {
        throw Fields.invalid("the user's answer does not fit: " + e.getMessage());
      }
    }

    /** What a handler throws that cannot go on without the user. */
    ToolException declined() {
      return new ToolException("The user was asked and did not agree: the answer was to " + action
          + (isAccepted() ? ", with nothing filled in" : ""));
    }

    static Answer of(Json json) {
      Fields fields = Fields.of(json);
      String action = fields.string("action");
      if (!action.matches("accept|decline|cancel")) {
        throw Fields.invalid("action: expected accept, decline or cancel");
      }
      return new Answer(action, fields.optionalObjectJson("content"));
    }
  }
}

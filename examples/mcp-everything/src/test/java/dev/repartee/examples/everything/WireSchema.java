package dev.repartee.examples.everything;

import static org.assertj.core.api.Assertions.assertThat;

import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.repartee.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The JSON schema of the protocol's messages in one revision. It is not part of this project: the
 * system property {@value #FOLDER} names its folder. Without it, every message passes; {@link
 * #isThere} reports whether it was found.
 */
final class WireSchema {
  static final String FOLDER = "repartee.mcp.schemas";

  private static final Map<Era, WireSchema> ALL = new EnumMap<>(Era.class);

  /** The types of results, by the method that was called. */
  private static final Map<String, String> RESULTS = Map.ofEntries(
      Map.entry("initialize", "InitializeResult"),
      Map.entry("server/discover", "DiscoverResult"),
      Map.entry("subscriptions/listen", "SubscriptionsListenResult"),
      Map.entry("tools/list", "ListToolsResult"),
      Map.entry("tools/call", "CallToolResult"),
      Map.entry("resources/list", "ListResourcesResult"),
      Map.entry("resources/templates/list", "ListResourceTemplatesResult"),
      Map.entry("resources/read", "ReadResourceResult"),
      Map.entry("prompts/list", "ListPromptsResult"),
      Map.entry("prompts/get", "GetPromptResult"),
      Map.entry("completion/complete", "CompleteResult"));

  /** The types of requests and notifications that a server may send, by their method. */
  private static final Map<String, String> SAID = Map.ofEntries(
      Map.entry("elicitation/create", "ElicitRequest"),
      Map.entry("sampling/createMessage", "CreateMessageRequest"),
      Map.entry("roots/list", "ListRootsRequest"),
      Map.entry("notifications/progress", "ProgressNotification"),
      Map.entry("notifications/message", "LoggingMessageNotification"),
      Map.entry("notifications/tools/list_changed", "ToolListChangedNotification"),
      Map.entry("notifications/prompts/list_changed", "PromptListChangedNotification"),
      Map.entry("notifications/resources/list_changed", "ResourceListChangedNotification"),
      Map.entry("notifications/tasks", "JSONRPCNotification"), // an extension, with no schema here
      Map.entry("notifications/resources/updated", "ResourceUpdatedNotification"),
      Map.entry(
          "notifications/subscriptions/acknowledged", "SubscriptionsAcknowledgedNotification"));

  private static final Map<Integer, String> ERRORS = Map.of(
      -32020, "HeaderMismatchError",
      -32021, "MissingRequiredClientCapabilityError",
      -32022, "UnsupportedProtocolVersionError");

  private final Era era;
  private final @Nullable Validator validator;
  private final Map<String, URI> types = new HashMap<>();

  private WireSchema(Era era) {
    this.era = era;
    Path file = file(era);
    if (!Files.exists(file)) {
      this.validator = null;
      return;
    }
    this.validator = new ValidatorFactory().createValidator();
    try {
      validator.registerSchema(URI.create("urn:mcp:" + era.revision), Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path file(Era era) {
    return Path.of(
        System.getProperty(FOLDER, "the system property " + FOLDER),
        "schema-" + era.revision + ".json");
  }

  static synchronized WireSchema of(Era era) {
    return ALL.computeIfAbsent(era, WireSchema::new);
  }

  boolean isThere() {
    return validator != null;
  }

  /**
   * Asserts that a message of the server is valid: a response to a call of {@code method}, or a
   * request or notification.
   */
  void check(String method, Json message) {
    Json said = message.get("method");
    Json error = message.get("error");
    if (said != null) {
      String type = SAID.get(said.as(String.class));
      assertThat(type).as("a server does not send %s", said).isNotNull();
      check(type, message, message);
    } else if (error != null) {
      int code = Objects.requireNonNull(error.get("code")).as(int.class);
      boolean known = era == Era.STATELESS && ERRORS.containsKey(code);
      check(known ? ERRORS.get(code) : "JSONRPCErrorResponse", message, message);
    } else {
      check("JSONRPCResultResponse", message, message);
      Json result = message.get("result");
      Json kind = result == null ? null : result.get("resultType");
      String type = Json.of("input_required").equals(kind)
          ? "InputRequiredResult"
          : Json.of("task").equals(kind) // an extension, with no schema here
              ? "Result"
              : RESULTS.getOrDefault(method, "Result");
      check(type, result, message);
    }
  }

  private synchronized void check(String type, @Nullable Json value, Json message) {
    if (validator == null) {
      return;
    }
    URI schema = types.computeIfAbsent(
        type,
        name -> validator.registerSchema(
            "{\"$ref\":\"urn:mcp:" + era.revision + "#/$defs/" + name + "\"}"));
    Validator.Result result = validator.validate(schema, String.valueOf(value));
    assertThat(result.getErrors())
        .extracting(fault -> fault.getInstanceLocation() + ": " + fault.getError())
        .as("%s is not a valid %s of %s", message, type, era.revision)
        .isEmpty();
  }
}

package dev.repartee.mcp.client;

import dev.repartee.ProtocolException;
import dev.repartee.RpcException;
import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.mcp.types.Annotations;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Icon;
import dev.repartee.mcp.types.Implementation;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.mcp.types.PromptMessage;
import dev.repartee.mcp.types.PromptResult;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.ResourceContents;
import dev.repartee.mcp.types.ResourceTemplate;
import dev.repartee.mcp.types.Role;
import dev.repartee.mcp.types.ToolResult;
import dev.repartee.mcp.wire.JsonObjectReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the results of requests. A result that breaks the protocol fails with a {@link
 * ProtocolException} that names the method, the member and the expected form.
 */
final class Answers {
  /**
   * The maximum number of characters of an error description, which may contain text of the server.
   */
  private static final int LONGEST = 1_000;

  private Answers() {}

  /** Reads an answer with a function that may throw as {@link JsonObjectReader} does. */
  static <T> T read(String method, String server, Json json, Function<Json, T> reader) {
    try {
      return reader.apply(json);
    } catch (RpcException e) {
      throw broken(method, server, reason(e));
    } catch (JsonException | IllegalArgumentException e) {
      throw broken(method, server, String.valueOf(e.getMessage()));
    }
  }

  /** Reads a part of an answer; a failure names the place of the part. */
  static <T> T at(String place, Json json, Function<Json, T> reader) {
    try {
      return reader.apply(json);
    } catch (RpcException e) {
      throw JsonObjectReader.invalid(place + ": " + reason(e));
    }
  }

  private static String reason(RpcException e) {
    return e.error().message().replaceFirst("^Invalid params: ", "");
  }

  /** Returns the failure of an answer that breaks the protocol. */
  static ProtocolException broken(String method, String server, String what) {
    return new ProtocolException(server + " broke the protocol in its answer to '" + method + "': "
        + Text.shortened(what, LONGEST));
  }

  static JsonObjectReader object(Json json) {
    if (json.kind() != Json.Kind.OBJECT) {
      throw JsonObjectReader.invalid("expected an object, not " + json.kind().phrase());
    }
    return JsonObjectReader.of(json);
  }

  /** Returns the elements of a required array. */
  static List<Json> elements(JsonObjectReader in, String name) {
    Json array = required(in, name);
    if (array.kind() != Json.Kind.ARRAY) {
      throw JsonObjectReader.invalid(
          name + ": expected an array, not " + array.kind().phrase());
    }
    return array.elements();
  }

  static <T> List<T> all(JsonObjectReader in, String name, Function<Json, T> reader) {
    List<Json> elements = elements(in, name);
    List<T> all = new ArrayList<>(elements.size());
    for (int i = 0; i < elements.size(); i++) {
      all.add(at(name + "[" + i + "]", elements.get(i), reader));
    }
    return all;
  }

  // ---------------------------------------------------------------- tools

  static ToolResult toolResult(Json json) {
    JsonObjectReader in = object(json);
    return new ToolResult(
        all(in, "content", Answers::content),
        in.get("structuredContent"),
        in.flag("isError"),
        in.get("_meta"));
  }

  private static Content content(Json block) {
    JsonObjectReader in = object(block);
    String type = in.string("type");
    Json meta = in.optionalObjectJson("_meta");
    return switch (type) {
      case "text" -> new Content.Text(in.string("text"), annotations(in), meta);
      case "image" ->
        new Content.Image(in.string("data"), in.string("mimeType"), annotations(in), meta);
      case "audio" ->
        new Content.Audio(in.string("data"), in.string("mimeType"), annotations(in), meta);
      case "resource" ->
        new Content.Embedded(contents(required(in, "resource")), annotations(in), meta);
      case "resource_link" -> new Content.Link(resource(block));
      default -> throw JsonObjectReader.invalid("the content type '" + type + "' is unknown");
    };
  }

  private static Json required(JsonObjectReader in, String name) {
    Json value = in.get(name);
    if (value == null) {
      throw JsonObjectReader.invalid("missing: " + name);
    }
    return value;
  }

  private static @Nullable Annotations annotations(JsonObjectReader in) {
    if (!in.has("annotations")) {
      return null;
    }
    JsonObjectReader annotations = in.object("annotations");
    List<Role> audience =
        annotations.stringList("audience").stream().map(Answers::role).toList();
    Double priority = hint(annotations.get("priority"));
    return new Annotations(
        audience,
        priority == null ? null : Math.max(0, Math.min(1, priority)),
        annotations.optionalString("lastModified"));
  }

  private static Role role(String label) {
    Role role = Role.of(label);
    if (role == null) {
      throw JsonObjectReader.invalid("the role '" + label + "' is unknown");
    }
    return role;
  }

  /**
   * Returns the number in an optional hint. Returns null if the hint is absent, is not a number, or
   * is too large for a double, because an unusable hint is ignored.
   */
  static @Nullable Double hint(@Nullable Json value) {
    if (value == null || value.kind() != Json.Kind.NUMBER) {
      return null;
    }
    try {
      return value.as(double.class);
    } catch (JsonException e) {
      return null;
    }
  }

  static @Nullable Double number(JsonObjectReader in, String name) {
    Json value = in.get(name);
    if (value == null || value.isNull()) {
      return null;
    }
    if (value.kind() != Json.Kind.NUMBER) {
      throw JsonObjectReader.invalid(name + ": expected a number");
    }
    return value.as(double.class);
  }

  private static List<Icon> icons(JsonObjectReader in) {
    if (!in.has("icons")) {
      return List.of();
    }
    return all(in, "icons", json -> {
      JsonObjectReader icon = object(json);
      return new Icon(
          icon.string("src"),
          icon.optionalString("mimeType"),
          icon.stringList("sizes"),
          icon.optionalString("theme"));
    });
  }

  // ---------------------------------------------------------------- resources and prompts

  static Resource resource(Json json) {
    JsonObjectReader in = object(json);
    Double size = hint(in.get("size"));
    return new Resource(
        in.string("uri"),
        in.string("name"),
        in.optionalString("title"),
        in.optionalString("description"),
        in.optionalString("mimeType"),
        size == null ? null : size.longValue(),
        annotations(in),
        icons(in),
        in.optionalObjectJson("_meta"));
  }

  static ResourceTemplate template(Json json) {
    JsonObjectReader in = object(json);
    return new ResourceTemplate(
        in.string("uriTemplate"),
        in.string("name"),
        in.optionalString("title"),
        in.optionalString("description"),
        in.optionalString("mimeType"),
        annotations(in),
        icons(in),
        in.optionalObjectJson("_meta"));
  }

  static ResourceContents contents(Json json) {
    JsonObjectReader in = object(json);
    String text = in.optionalString("text");
    String blob = in.optionalString("blob");
    if ((text == null) == (blob == null)) {
      throw JsonObjectReader.invalid("expected either text or blob");
    }
    return new ResourceContents(
        in.string("uri"),
        in.optionalString("mimeType"),
        text,
        blob,
        in.optionalObjectJson("_meta"));
  }

  static RemotePrompt prompt(Json json) {
    JsonObjectReader in = object(json);
    List<RemotePrompt.Argument> arguments = in.has("arguments")
        ? all(in, "arguments", element -> {
          JsonObjectReader argument = object(element);
          return new RemotePrompt.Argument(
              argument.string("name"),
              argument.optionalString("title"),
              argument.optionalString("description"),
              argument.flag("required"));
        })
        : List.of();
    return new RemotePrompt(
        in.string("name"),
        in.optionalString("title"),
        in.optionalString("description"),
        arguments,
        json);
  }

  static PromptResult promptResult(Json json) {
    JsonObjectReader in = object(json);
    List<PromptMessage> messages = all(in, "messages", element -> {
      JsonObjectReader message = object(element);
      return new PromptMessage(
          role(message.string("role")),
          at("content", required(message, "content"), Answers::content));
    });
    return new PromptResult(in.optionalString("description"), messages);
  }

  static Completion completion(Json json) {
    JsonObjectReader in = object(json).object("completion");
    Double total = hint(in.get("total"));
    return new Completion(
        in.stringList("values"), total == null ? null : total.longValue(), in.flag("hasMore"));
  }

  // ---------------------------------------------------------------- other parts

  static Implementation implementation(JsonObjectReader in) {
    return new Implementation(
        in.string("name"),
        in.string("version"),
        in.optionalString("title"),
        in.optionalString("description"),
        in.optionalString("websiteUrl"),
        icons(in));
  }

  static LogMessage log(Json params) {
    JsonObjectReader in = object(params);
    String label = in.string("level");
    LogLevel level = LogLevel.of(label.toLowerCase(Locale.ROOT));
    if (level == null) {
      throw JsonObjectReader.invalid("the level '" + label + "' is unknown");
    }
    return new LogMessage(level, in.optionalString("logger"), required(in, "data"));
  }

  static Progress progress(JsonObjectReader in) {
    Double progress = number(in, "progress");
    if (progress == null) {
      throw JsonObjectReader.invalid("missing: progress");
    }
    return new Progress(progress, hint(in.get("total")), in.optionalString("message"));
  }
}

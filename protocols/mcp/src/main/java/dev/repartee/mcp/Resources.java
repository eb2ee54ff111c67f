package dev.repartee.mcp;

import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.types.ResourceContents;
import dev.repartee.mcp.wire.JsonObjectReader;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Serves {@code resources/read} and the subscriptions of resources. */
final class Resources {
  private final McpServer server;

  Resources(McpServer server) {
    this.server = server;
  }

  @Nullable Object read(McpCall call, JsonObjectReader params) throws Exception {
    String uri = params.string("uri");
    ServedResource served = server.resources().find(uri);
    if (served != null) {
      return answer(uri, served.resource().mimeType(), served.reader().read(call));
    }
    if (uri.length() > UriTemplate.MAX_URI) {
      throw JsonObjectReader.invalid("uri: " + UriTemplate.MAX_URI + " characters at most");
    }
    for (ServedTemplate template : server.templates().all()) {
      Map<String, String> variables = template.uris.match(uri);
      if (variables != null) {
        return answer(
            uri, template.template.mimeType(), template.reader.read(call, uri, variables));
      }
    }
    throw call.notFound(uri);
  }

  private static @Nullable Object answer(String uri, @Nullable String mimeType, Object value) {
    return Stages.map(value, contents -> members(uri, mimeType, Objects.requireNonNull(contents)));
  }

  private static JsonObjectBuilder members(String uri, @Nullable String mimeType, Object value) {
    List<?> all = value instanceof List<?> list ? list : List.of(value);
    return new JsonObjectBuilder()
        .put(
            "contents",
            all.stream().map(one -> contents(uri, mimeType, one).json()).toList());
  }

  private static ResourceContents contents(String uri, @Nullable String mimeType, Object value) {
    if (value instanceof ResourceContents contents) {
      return contents;
    } else if (value instanceof CharSequence text) {
      return new ResourceContents(uri, mimeType, text.toString(), null, null);
    }
    throw new IllegalArgumentException("a resource is read as text or ResourceContents, not "
        + value.getClass().getTypeName());
  }

  JsonObjectBuilder subscribe(McpCall call, JsonObjectReader params) {
    ServerSession session = Objects.requireNonNull(call.session());
    if (!session.subscribe(params.string("uri"))) {
      throw JsonObjectReader.invalid(
          "uri: a client has " + ServerSession.MAX_SUBSCRIPTIONS + " subscriptions of "
              + ServerSession.MAX_REMEMBERED + " characters together at most; end one first");
    }
    // Over HTTP this request may overtake notifications/initialized.
    server.subscribers().add(session);
    return new JsonObjectBuilder();
  }

  JsonObjectBuilder unsubscribe(McpCall call, JsonObjectReader params) {
    Objects.requireNonNull(call.session()).unsubscribe(params.string("uri"));
    return new JsonObjectBuilder();
  }
}

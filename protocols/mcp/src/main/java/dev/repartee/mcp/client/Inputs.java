package dev.repartee.mcp.client;

import dev.repartee.RpcException;
import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.Root;
import dev.repartee.mcp.types.Sampling;
import dev.repartee.mcp.wire.JsonObjectReader;
import dev.repartee.message.RpcError;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Answers the questions of servers with the handlers of the client. Questions are requests in the
 * handshake revisions and input requests in the stateless revision. The handlers may block.
 */
final class Inputs {
  /** The maximum number of characters of an address in a message. */
  private static final int SHOWN = 100;

  private final Settings settings;

  /** The clocks of the running calls. */
  private final Set<CallClock> running = ConcurrentHashMap.newKeySet();

  Inputs(Settings settings) {
    this.settings = settings;
  }

  /** Returns the clock for a call. */
  CallClock newClock() {
    return new CallClock(running, settings.clock());
  }

  /** Returns the clocks of the running calls. */
  List<CallClock> running() {
    return List.copyOf(running);
  }

  /**
   * Answers a question that does not name a call. The clocks of all running calls stop meanwhile.
   *
   * @throws RpcException -32601 if the client has no handler for it, -32602 if it is malformed
   */
  Json answer(String method, @Nullable Json params) {
    return answer(method, params, null, running);
  }

  /**
   * Answers a question of a call. The clock of the call stops meanwhile.
   *
   * @param own answers elicitations; null for the handler of the client
   * @throws RpcException as {@link #answer(String, Json)} does
   */
  Json answer(
      String method,
      @Nullable Json params,
      @Nullable Function<Elicitation, Elicitation.Answer> own,
      CallClock clock) {
    return answer(method, params, own, Set.of(clock));
  }

  private Json answer(
      String method,
      @Nullable Json params,
      @Nullable Function<Elicitation, Elicitation.Answer> own,
      Set<CallClock> clocks) {
    return switch (method) {
      case "elicitation/create" -> elicit(JsonObjectReader.of(params), own, clocks);
      case "sampling/createMessage" -> sample(JsonObjectReader.of(params), clocks);
      case "roots/list" -> roots();
      default -> throw unknown(method);
    };
  }

  private static RpcException unknown(String method) {
    return new RpcException(
        RpcError.METHOD_NOT_FOUND, "The client has no handler for '" + method + "'");
  }

  private Json elicit(
      JsonObjectReader in,
      @Nullable Function<Elicitation, Elicitation.Answer> own,
      Set<CallClock> clocks) {
    Function<Elicitation, Elicitation.Answer> general = settings.elicitation();
    if (general == null) { // the capability was not declared
      throw unknown("elicitation/create");
    }
    String url = in.optionalString("url");
    Json schema = in.optionalObjectJson("requestedSchema");
    if ((url == null) == (schema == null)) {
      throw JsonObjectReader.invalid("expected either requestedSchema or url");
    }
    if (url != null && !isPage(url)) {
      throw JsonObjectReader.invalid("url: expected the http: or https: address of a page, not '"
          + Text.shortened(url, SHOWN) + "'");
    }
    Elicitation question = new Elicitation(
        in.string("message"), schema, url, url == null ? null : in.optionalString("elicitationId"));
    Function<Elicitation, Elicitation.Answer> handler = own == null ? general : own;
    Elicitation.Answer answer = CallClock.whileAsking(clocks, () -> handler.apply(question));
    JsonObjectBuilder out = new JsonObjectBuilder().put("action", answer.action());
    if (answer.isAccepted() && schema != null) {
      out.put("content", filled(answer.content(), schema));
    }
    return out.build();
  }

  /**
   * Returns whether an address is safe to open in a browser. Other schemes, such as {@code
   * javascript:} and {@code file:}, can run code or read files there.
   */
  private static boolean isPage(String url) {
    try {
      URI uri = new URI(url);
      String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
      return uri.getRawAuthority() != null && (scheme.equals("http") || scheme.equals("https"));
    } catch (URISyntaxException e) {
      return false;
    }
  }

  /** Adds the defaults of a form for missing values. */
  private static Json filled(@Nullable Json given, Json schema) {
    Map<String, Json> values = new LinkedHashMap<>();
    if (given != null) {
      values.putAll(given.members());
    }
    Json properties = schema.get("properties");
    if (properties != null && properties.kind() == Json.Kind.OBJECT) {
      properties.members().forEach((name, property) -> {
        Json otherwise = property.kind() == Json.Kind.OBJECT ? property.get("default") : null;
        if (otherwise != null) {
          values.putIfAbsent(name, otherwise);
        }
      });
    }
    return Json.of(values);
  }

  private Json sample(JsonObjectReader in, Set<CallClock> clocks) {
    Function<Sampling, Sampling.Answer> handler = settings.sampling();
    if (handler == null) {
      throw unknown("sampling/createMessage");
    }
    Double max = Answers.hint(in.get("maxTokens"));
    if (max == null) {
      throw JsonObjectReader.invalid("maxTokens: expected a number");
    }
    Map<String, Json> more = new LinkedHashMap<>(in.members());
    more.remove("messages");
    more.remove("maxTokens");
    Sampling question =
        new Sampling(Answers.elements(in, "messages"), max.intValue(), Json.of(more));
    Sampling.Answer answer = CallClock.whileAsking(clocks, () -> handler.apply(question));
    return new JsonObjectBuilder()
        .put("role", answer.role())
        .put("content", answer.content())
        .put("model", answer.model())
        .put("stopReason", answer.stopReason())
        .build();
  }

  private Json roots() {
    if (settings.roots() == null) {
      throw unknown("roots/list");
    }
    List<Json> roots = settings.roots().get().stream().map(Inputs::root).toList();
    return new JsonObjectBuilder().put("roots", roots).build();
  }

  private static Json root(Root root) {
    return new JsonObjectBuilder()
        .put("uri", root.uri())
        .put("name", root.name())
        .build();
  }
}

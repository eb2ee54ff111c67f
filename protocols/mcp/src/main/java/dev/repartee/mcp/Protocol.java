package dev.repartee.mcp;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Lane;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.http.StreamableHttpHandler;
import dev.repartee.mcp.state.ClientChannel;
import dev.repartee.mcp.state.RequestDigest;
import dev.repartee.mcp.types.ClientCapabilities;
import dev.repartee.mcp.types.Implementation;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.wire.Errors;
import dev.repartee.mcp.wire.JsonObjectReader;
import dev.repartee.mcp.wire.RequestMeta;
import dev.repartee.message.RpcError;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The protocol as a table of requests. Each request is served in three steps: read its metadata,
 * run its row, complete the result with the members that the revision requires. Immutable.
 */
final class Protocol {
  // Implementation note.
  //
  // Five revisions are served by one table. A row names the revisions that have it, and three
  // differences of the revisions are handled here, for all rows:
  //
  //   - The metadata (asked()). A request is stateless if it has the revision or the capabilities
  //     in its _meta, or arrived at the stateless handler of HTTP, or if its method exists only in
  //     the stateless revision. All other requests belong to the handshake of their session. The
  //     presence of the members decides, not their values: after a wrong value the client gets the
  //     error for that value, not "send initialize first". The session alone cannot decide, because
  //     over stdio and WebSocket both kinds may share a connection.
  //   - The answer (answer(), required()). A handler that needs input throws InputRequired. In the
  //     stateless revision the exception becomes a result with sealed state. In a session it does
  //     not occur, because the client was asked directly.
  //   - The members of a result (complete()).
  //
  // The state of rounds. The server keeps no state between two rounds; the client sends it back.
  // The state is sealed, and a digest binds it to its request: a client must not use the consent to
  // one call for another call. The seal is opened before the digest is computed. In the reverse
  // order, a request with a large body and without any valid state would cost a digest. Answers to
  // questions that the state does not name are ignored.
  //
  // Order. Rows run CONCURRENT, except FIRST. The requests in FIRST affect later messages, and
  // clients send the next message without waiting. Without the order, a client that subscribes and
  // then calls a tool could miss the changes of that call. These requests run before the next
  // message is read, and must not block.
  //
  // Errors. The message of a ToolException is a sentence for the model. tools/call turns it into a
  // result with isError. The exception arrives here only from prompts and resources, which do not
  // have such a result (inWords).

  private static final String SERVER = "io.modelcontextprotocol/serverInfo";

  static final String TOOLS_CALL = "tools/call";

  /**
   * The requests that are served before the next message is read, because a client that sends
   * another message right after its handshake or subscription relies on their effect. They do not
   * block.
   */
  private static final Set<String> FIRST = Set.of("initialize", "subscriptions/listen");

  /** The names of the stateless revisions, newest first. */
  static final List<String> STATELESS = Arrays.stream(Revision.values())
      .filter(Revision::isStateless)
      .sorted(Comparator.reverseOrder())
      .map(Revision::label)
      .toList();

  private final McpServer server;

  /**
   * The server info in the {@code _meta} of stateless results: only name and version. {@code
   * server/discover} returns the rest.
   */
  private final Json self;

  private final Map<String, Method> table = new LinkedHashMap<>();

  Protocol(McpServer server) {
    this.server = server;
    Implementation self = server.settings().self();
    this.self = identity(Implementation.of(self.name(), self.version()));
    Lifecycle lifecycle = new Lifecycle(server);
    Tasks tasks = new Tasks(server, this::callAgain);
    Resources resources = new Resources(server);
    List<Method> rows = List.of(
        Method.withHandshake("initialize", lifecycle::initialize),
        Method.withHandshake("ping", (call, params) -> new JsonObjectBuilder()),
        Method.withHandshake("logging/setLevel", lifecycle::setLevel),
        Method.stateless("server/discover", true, lifecycle::discover),
        Method.stateless("subscriptions/listen", false, lifecycle::listen),
        list("tools/list", "tools", server.tools(), Tool::json),
        Method.of(TOOLS_CALL, new Tools(server, tasks)::call).asking(),
        list(
            "resources/list",
            "resources",
            server.resources(),
            (r, in) -> r.resource().json()),
        list(
            "resources/templates/list",
            "resourceTemplates",
            server.templates(),
            (t, in) -> t.template.json()),
        Method.cached("resources/read", resources::read).asking(),
        Method.withHandshake("resources/subscribe", resources::subscribe),
        Method.withHandshake("resources/unsubscribe", resources::unsubscribe),
        list("prompts/list", "prompts", server.prompts(), (prompt, in) -> prompt.json()),
        Method.of("prompts/get", new Prompts(server)::get).asking(),
        Method.of("completion/complete", new Completions(server)::complete),
        Method.stateless("tasks/get", false, tasks::get),
        Method.stateless("tasks/update", false, tasks::update),
        Method.stateless("tasks/cancel", false, tasks::cancel));
    rows.forEach(row -> table.put(row.name(), row));
    server.settings().methods().forEach((name, handler) -> {
      if (table.putIfAbsent(name, Extensions.row(name, handler)) != null) {
        throw new IllegalArgumentException("'" + name + "' is a request of MCP itself");
      }
    });
  }

  /**
   * Returns the row of a list. The entries of a page may fill half of a message; the rest is for
   * the other members.
   */
  private <T> Method list(
      String name, String member, Catalog<T> catalog, BiFunction<T, Revision, Json> form) {
    int size = server.settings().pageSize();
    int bytes = server.settings().options().limits().frameBytes() / 2;
    return Method.cached(name, (call, params) -> {
      String cursor = params.optionalString("cursor");
      return catalog.page(member, cursor, size, bytes, each -> form.apply(each, call.revision()));
    });
  }

  /** Returns {@code _meta} with the server info. */
  static Json identity(Implementation self) {
    return new JsonObjectBuilder().put(SERVER, self.json()).build();
  }

  McpServer server() {
    return server;
  }

  /**
   * Returns the service of all requests and notifications of clients.
   *
   * @param session finds the session of a call
   */
  Service service(Function<Call, ServerSession> session) {
    Service.Builder service = Service.builder();
    for (Method row : table.values()) {
      Lane lane = FIRST.contains(row.name()) ? Lane.INLINE : Lane.CONCURRENT;
      service.method(row.name(), lane, call -> answer(row, session.apply(call), call));
    }
    service.method("notifications/initialized", call -> {
      ServerSession known = session.apply(call);
      if (known.handshake() != null) {
        server.subscribers().add(known);
      }
      return null;
    });
    Handler ignored = call -> null;
    service.method("notifications/roots/list_changed", ignored);
    return service.build();
  }

  /** Serves the inner request of a {@link TaskRun}, without a session. */
  private @Nullable Object callAgain(Call call) throws Exception {
    Method row = Objects.requireNonNull(table.get(TOOLS_CALL));
    return answer(row, new ServerSession(ClientChannel.NONE), call);
  }

  private @Nullable Object answer(Method row, ServerSession session, Call call) throws Exception {
    JsonObjectReader params = JsonObjectReader.of(call.params());
    McpCall asked = asked(row, session, call, params);
    if (!row.isIn(asked.revision())) {
      throw new RpcException(RpcError.METHOD_NOT_FOUND, "Method not found");
    }
    Object answer;
    try {
      answer = row.body().answer(asked, params);
    } catch (InputRequired e) {
      answer = required(asked, e);
    } catch (ToolException e) {
      throw inWords(e);
    }
    return answer instanceof CompletionStage<?> stage
        ? stage.handle((value, failure) -> complete(row, asked, later(asked, value, failure)))
        : complete(row, asked, answer);
  }

  /**
   * Converts the message to an error, for prompts and resources: they have no result with {@code
   * isError}.
   */
  private static RpcException inWords(ToolException e) {
    return JsonObjectReader.invalid(String.valueOf(e.getMessage()));
  }

  /** Returns the value of a stage, or the result for its failure. */
  private Object later(McpCall call, @Nullable Object value, @Nullable Throwable failure) {
    if (failure == null) {
      return Objects.requireNonNull(value);
    }
    Throwable cause = UserCode.cause(failure);
    if (cause instanceof InputRequired required) {
      return required(call, required);
    } else if (cause instanceof ToolException e) {
      throw inWords(e);
    }
    throw cause instanceof RuntimeException e ? e : new CompletionException(cause);
  }

  // ---------------------------------------------------------------- request metadata

  /**
   * Reads revision, client and capabilities: from {@code _meta} (2026-07-28, request metadata), or
   * from the handshake of the session.
   */
  private McpCall asked(Method row, ServerSession session, Call call, JsonObjectReader params) {
    if (call.id() == null || !isName(call.id().json())) {
      throw new RpcException(
          RpcError.INVALID_REQUEST, "Invalid Request: a request has an id, a string or an integer");
    }
    JsonObjectReader meta = params.optionalObject("_meta");
    ServerSession.Client handshake = session.handshake();
    boolean standsAlone = meta.has(RequestMeta.VERSION)
        || meta.has(RequestMeta.CAPABILITIES)
        || call.attributes().get(StreamableHttpHandler.STATELESS) != null
        || handshake == null && row.since().isStateless();
    if (standsAlone) {
      return alone(row, session, call, params, meta);
    }
    if (row.name().equals("initialize") || handshake == null && row.name().equals("ping")) {
      return new McpCall(
          call, session, ServerSession.Client.UNKNOWN, null, null, RoundState.none());
    }
    if (handshake == null) {
      throw new RpcException(
          RpcError.INVALID_REQUEST,
          "Invalid Request: send initialize first, or the params._meta that 2026-07-28 requires");
    }
    return new McpCall(
        call, session, handshake, progressToken(meta), session.level(), RoundState.none());
  }

  /** Returns whether the value is a string or an integer, as ids and progress tokens are. */
  private static boolean isName(Json value) {
    return value.kind() == Json.Kind.STRING
        || value.kind() == Json.Kind.NUMBER && value.toString().matches("-?[0-9]+");
  }

  private static @Nullable Json progressToken(JsonObjectReader meta) {
    Json token = meta.get("progressToken");
    if (token != null && !isName(token)) {
      throw JsonObjectReader.invalid("_meta.progressToken: expected a string or an integer");
    }
    return token;
  }

  private McpCall alone(
      Method row,
      ServerSession session,
      Call call,
      JsonObjectReader params,
      JsonObjectReader meta) {
    Revision revision = supported(RequestMeta.requireVersion(meta));
    JsonObjectReader client = meta.optionalObject(RequestMeta.CLIENT);
    LogLevel level = null;
    if (meta.has(RequestMeta.LEVEL)) {
      level = LogLevel.of(meta.string(RequestMeta.LEVEL));
      if (level == null) {
        throw JsonObjectReader.invalid("_meta." + RequestMeta.LEVEL + ": no such level");
      }
    }
    ServerSession.Client described = new ServerSession.Client(
        revision,
        client.members().isEmpty() ? Implementation.of("", "") : Lifecycle.implementation(client),
        new ClientCapabilities(
            Objects.requireNonNull(meta.optionalObjectJson(RequestMeta.CAPABILITIES))));
    Json token = progressToken(meta);
    RoundState rounds = row.asks() ? roundState(call, params) : RoundState.none();
    return new McpCall(call, session, described, token, level, rounds);
  }

  /** Returns the stateless revision of that name; throws -32022 if it does not exist. */
  static Revision supported(String version) {
    Revision revision = Revision.of(version);
    if (revision == null || !revision.isStateless()) {
      throw Errors.unsupportedVersion(version, STATELESS);
    }
    return revision;
  }

  // ---------------------------------------------------------------- multi round-trip requests

  /** Returns the state of earlier rounds that the request brings back. */
  private RoundState roundState(Call call, JsonObjectReader params) {
    String state = params.optionalString("requestState");
    if (state == null) {
      return RoundState.none(); // the first round has no questions; answers are ignored
    }
    Json known = server.seal().open(state, () -> RequestDigest.of(call));
    return RoundState.of(known, params.optionalObject("inputResponses").members());
  }

  private JsonObjectBuilder required(McpCall call, InputRequired required) {
    JsonObjectBuilder requests = new JsonObjectBuilder();
    required
        .requests()
        .forEach((key, request) -> requests.put(key, InputRequired.form(request, call.revision())));
    Json state = call.roundState().state(required.requests().keySet());
    return new JsonObjectBuilder()
        .put("resultType", "input_required")
        .put("inputRequests", requests.build())
        .put("requestState", server.seal().seal(state, RequestDigest.of(call.call())));
  }

  // ---------------------------------------------------------------- members of all results

  private Json complete(Method row, McpCall call, @Nullable Object answer) {
    JsonObjectBuilder result = (JsonObjectBuilder) Objects.requireNonNull(answer);
    if (call.revision().isStateless()) {
      boolean ends = !result.has("resultType");
      if (ends) {
        result.put("resultType", "complete");
      }
      if (ends && row.cached()) {
        result
            .put("ttlMs", server.settings().cacheTime().toMillis())
            .put("cacheScope", server.settings().isCachePublic() ? "public" : "private");
      }
      result.merge("_meta", self);
    }
    return result.build();
  }
}

package dev.repartee.mcp.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.FrameResponder;
import dev.repartee.Options;
import dev.repartee.ProtocolException;
import dev.repartee.RpcException;
import dev.repartee.access.Principal;
import dev.repartee.internal.Clock;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonWriter;
import dev.repartee.mcp.auth.Protection;
import dev.repartee.mcp.state.CallAttributes;
import dev.repartee.mcp.state.ClientChannel;
import dev.repartee.mcp.state.SessionMemory;
import dev.repartee.mcp.state.SessionState;
import dev.repartee.mcp.wire.Errors;
import dev.repartee.mcp.wire.McpDialect;
import dev.repartee.mcp.wire.RequestMeta;
import dev.repartee.message.Id;
import dev.repartee.message.JsonRpc;
import dev.repartee.message.Message;
import dev.repartee.message.Notification;
import dev.repartee.message.Request;
import dev.repartee.message.Response;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpResponse;
import dev.repartee.transport.http.HttpService;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP handler of an endpoint. Routes each request by its method, headers and body. A request
 * of 2026-07-28 is served without a session. In earlier revisions a POST of {@code initialize}
 * begins a session (Streamable HTTP), and a GET without a session opens the SSE stream of the
 * 2024-11-05 transport.
 *
 * <p>Thread-safe.
 */
public final class StreamableHttpHandler implements HttpService {
  // Implementation note.
  //
  // Four dialects of HTTP share one path. This table decides, in the order of the code:
  //
  //   POST ?...   the query of a 2024-11-05 stream        EventConnections.deliver
  //   POST        stateless revision in header or _meta   stateless()
  //   POST        initialize without Mcp-Session-Id       inSession(), begins a session
  //   POST        anything else                           inSession(), with the named session
  //   GET         stateless revision in the header        405: there is no standing stream
  //   GET         no session, no revision or 2024-11-05   EventConnections.open
  //   GET         with a session                          HttpSession.listen
  //   DELETE      with a session                          ends it
  //
  // If the body names a revision, the request is stateless even if the header names another one:
  // the check of the mirrored headers then reports the contradiction. A request with an unknown
  // revision in its header and without a session is stateless, too, unless it is initialize. A
  // client of a future revision then gets -32022 with our revisions.
  //
  // A body is decoded twice. This class decodes it to Messages, to route it and to check the scopes
  // before any call runs. The engine decodes the original bytes again. Passing Messages to the
  // engine would need a second entry point, and the bytes of a valid request are needed anyway. A
  // body that is not a message goes to the engine unchanged, because the engine explains the error
  // best. rest() removes responses and cancellations from a batch, because they belong to calls of
  // other POSTs.
  //
  // Order of checks. The token is checked first (ResourceServer.admit), because any other answer
  // would reveal information to a stranger. Then path, type, Accept, syntax, scopes, session.
  //
  // The end of a request.
  //   - Stateless: a client that disconnects cancels its request (onGone). It could not resume it.
  //   - In a session: a lost connection does not cancel the call, because the stream can be
  //     resumed. Only a message cancels it. Therefore the call is registered in the session (begin)
  //     before the engine may run it. If it were registered afterwards, a cancellation in between
  //     would be lost.
  //   - A refused initialize ends the session that it has begun ("refused").
  //
  // State. This class has neither state nor a lock. HttpSessions contains the sessions,
  // EventConnections the streams of 2024-11-05.

  /** The attribute of a stateless call that contains the HTTP handler; absent in sessions. */
  public static final Attribute<StreamableHttpHandler> STATELESS =
      Attribute.named("MCP stateless handler");

  public static final String SESSION_HEADER = "mcp-session-id";
  private static final String VERSION_HEADER = "mcp-protocol-version";
  private static final Map<String, String> JSON = Map.of("content-type", "application/json");
  private static final Pattern JSON_TYPE =
      Pattern.compile("application/json\\s*(;.*)?", Pattern.CASE_INSENSITIVE);
  private static final Map<String, String> TEXT =
      Map.of("content-type", "text/plain; charset=utf-8");
  private static final byte[] NOTHING = {};

  private final Backend backend;
  private final Options options;
  private final String path;

  /** Null if the server is not protected. */
  private final @Nullable ResourceServer resourceServer;

  private final FrameResponder responder;
  private final HttpSessions sessions;
  private final EventConnections eventConnections;

  /** {@code path} is the path of the endpoint. */
  public StreamableHttpHandler(Backend backend, String path) {
    this.backend = backend;
    this.options = backend.options();
    this.path = path;
    Protection protection = backend.protection();
    this.resourceServer = protection == null
        ? null
        : new ResourceServer(protection, path, options.limits().callTimeout());
    Options served = options.toBuilder()
        .dialect(new McpDialect(() -> true)) // inSession() rejects batches of other revisions
        .builtins()
        .build();
    this.responder =
        FrameResponder.of(backend.service(), served, new ChannelInfo("http", "", "message"));
    this.sessions = new HttpSessions(backend, served, Clock.SYSTEM);
    this.eventConnections = new EventConnections(backend, path);
  }

  @Override
  public Set<String> furtherPaths() {
    return resourceServer == null ? Set.of() : resourceServer.metadataPaths();
  }

  /** Ends the listen streams. Running calls continue. */
  public void closing() {
    backend.endListening(this);
    sessions.closing();
    eventConnections.closing();
  }

  /** Ends the sessions, which cancels their running calls. */
  public void closed() {
    sessions.close();
  }

  @Override
  public void serve(HttpRequest request, HttpReply reply) {
    if (resourceServer != null && resourceServer.isMetadata(request)) {
      resourceServer.answerMetadata(request, reply);
    } else if (!request.path().equals(path)) {
      refuse(reply, 404, "Nothing is served at this path.");
    } else if (resourceServer == null) {
      serve(request, reply, request.attributes().get(Principal.KEY));
    } else {
      resourceServer.admit(request, reply, principal -> serve(request, reply, principal));
    }
  }

  private void serve(HttpRequest request, HttpReply reply, @Nullable Principal principal) {
    switch (request.method()) {
      case "POST" -> post(request, reply, principal);
      case "GET" -> get(request, lasting(request, reply, principal), principal);
      case "DELETE" -> delete(request, reply, principal);
      default -> notAllowed(reply, "POST, GET, DELETE");
    }
  }

  /** Wraps the reply of a listen stream, which ends when its token is no longer valid. */
  private HttpReply lasting(HttpRequest request, HttpReply reply, @Nullable Principal principal) {
    return resourceServer == null || principal == null
        ? reply
        : resourceServer.lasting(request, reply, principal);
  }

  static void refuse(HttpReply reply, int status, String sentence) {
    HttpResponse response = HttpResponse.refused(status, sentence);
    reply.answer(status, response.headers().fields(), response.body());
  }

  private static void notAllowed(HttpReply reply, String allowed) {
    Map<String, String> headers = new HashMap<>(TEXT);
    headers.put("allow", allowed);
    reply.answer(405, headers, ("Allowed are " + allowed + ".\n").getBytes(UTF_8));
  }

  static void error(HttpReply reply, int status, @Nullable Id id, RpcError error) {
    reply.answer(status, JSON, McpDialect.frame(id, error));
  }

  private static RpcError invalid(String what) {
    return new RpcError(RpcError.INVALID_REQUEST, "Invalid Request: " + what);
  }

  // ---------------------------------------------------------------- POST

  private void post(HttpRequest request, HttpReply reply, @Nullable Principal principal) {
    String type = request.header("content-type");
    if (type == null || !JSON_TYPE.matcher(type.trim()).matches()) {
      refuse(reply, 415, "This request needs Content-Type: application/json.");
    } else if (request.query() != null && request.query().startsWith(EventConnections.QUERY)) {
      eventConnections.deliver(
          request, reply, principal, () -> lacksScope(request, reply, principal));
    } else if (!accepts(request, "application/json") || !accepts(request, "text/event-stream")) {
      refuse(reply, 406, "Accept has to list application/json and text/event-stream.");
    } else {
      List<Message> messages;
      try {
        messages = read(request.body());
      } catch (JsonException e) {
        Json what = Json.of(String.valueOf(e.getMessage()));
        error(reply, 400, null, new RpcError(RpcError.PARSE_ERROR, "Parse error", what));
        return;
      } catch (ProtocolException e) {
        error(reply, 400, null, invalid(String.valueOf(e.getMessage())));
        return;
      }
      post(new Post(request, reply, principal, messages, isArray(request.body())));
    }
  }

  /**
   * Returns whether the client accepts a media type. The most specific range decides (RFC 9110,
   * 12.5.1).
   */
  private static boolean accepts(HttpRequest request, String type) {
    String accept = request.header("accept");
    if (accept == null) {
      return true;
    }
    String group = type.substring(0, type.indexOf('/') + 1) + "*";
    for (String range : List.of(type, group, "*/*")) {
      for (String entry : accept.toLowerCase(Locale.ROOT).split(",")) {
        List<String> parts = Arrays.stream(entry.split(";")).map(String::strip).toList();
        if (parts.indexOf(range) == 0) {
          return parts.stream().noneMatch(part -> part.matches("q=0(\\.0*)?"));
        }
      }
    }
    return false;
  }

  /** Returns whether a body is a JSON array, that is a batch. */
  private static boolean isArray(byte[] body) {
    int i = 0;
    while (i < body.length && body[i] <= ' ') {
      i++;
    }
    return i < body.length && body[i] == '[';
  }

  /**
   * A POST with its decoded body.
   *
   * @param messages the messages of the body, without the invalid elements of a batch
   * @param isArray true if the body is a batch
   */
  record Post(
      HttpRequest request,
      HttpReply reply,
      @Nullable Principal principal,
      List<Message> messages,
      boolean isArray) {
    /** Returns the message if the body is a single message, null otherwise. */
    @Nullable Message single() {
      return isArray || messages.size() != 1 ? null : messages.get(0);
    }

    /** Returns the id if the body is a single request, null otherwise. */
    @Nullable Id id() {
      return single() instanceof Request one ? one.id() : null;
    }

    void error(int status, RpcError error) {
      StreamableHttpHandler.error(reply, status, id(), error);
    }
  }

  private void post(Post post) {
    Message single = post.single();
    if (!post.isArray && single == null) {
      // Not a message: the engine explains the error best.
      responder.serve(
          post.request.body(),
          0,
          post.request.body().length,
          new StatelessReply(post.reply, 400, frameBytes()));
    } else if (lacksScope(post.request, post.reply, post.principal, post.messages)) {
      return;
    } else if (single != null && isStateless(post, single)) {
      stateless(post, single);
    } else {
      inSession(post);
    }
  }

  /**
   * Decodes the body and checks the scopes. Returns false if the body is not valid, because the
   * engine reports that error.
   */
  private boolean lacksScope(HttpRequest request, HttpReply reply, @Nullable Principal principal) {
    if (resourceServer == null) {
      return false;
    }
    try {
      List<Message> messages = read(request.body());
      return lacksScope(request, reply, principal, messages);
    } catch (JsonException | ProtocolException e) {
      return false;
    }
  }

  /**
   * Answers 403 and returns true if the principal lacks the scopes of a tool that a message calls.
   */
  private boolean lacksScope(
      HttpRequest request, HttpReply reply, @Nullable Principal principal, List<Message> messages) {
    if (resourceServer == null || principal == null) {
      return false;
    }
    for (Message message : messages) {
      Set<String> needed =
          message instanceof Request asked ? backend.scopes(asked, principal) : Set.of();
      if (!principal.scopes().containsAll(needed)) {
        resourceServer.refuseScope(request, reply, principal, needed);
        return true;
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- requests without a session

  /**
   * Returns the transport of the revision that a header names, or null if the revision is unknown.
   */
  private @Nullable HttpTransport transport(HttpRequest request) {
    String version = request.header(VERSION_HEADER);
    return version == null ? null : backend.transport(version);
  }

  private boolean isStateless(Post post, Message single) {
    if (!backend.offersStateless()) {
      return false;
    }
    HttpTransport transport = transport(post.request);
    if (transport != null) {
      return transport == HttpTransport.STATELESS || saysVersion(single);
    }
    boolean initializes = single instanceof Request r && r.method().equals("initialize");
    boolean unknown =
        post.request.header(VERSION_HEADER) != null && post.request.header(SESSION_HEADER) == null;
    return saysVersion(single) || unknown && !initializes;
  }

  private static boolean saysVersion(Message message) {
    Json params = message instanceof Request request
        ? request.params()
        : message instanceof Notification notification ? notification.params() : null;
    Json meta = params == null ? null : params.get("_meta");
    return meta != null && meta.get(RequestMeta.VERSION) != null;
  }

  private void stateless(Post post, Message single) {
    if (single instanceof Notification) {
      post.reply.answer(202, Map.of(), NOTHING); // has no effect over HTTP
    } else if (single instanceof Request asked) {
      try {
        MirroredHeaders.check(post.request, asked, backend);
      } catch (RpcException e) {
        post.error(400, e.error());
        return;
      }
      if (asked.method().equals("subscriptions/listen") && !post.reply.takesEvents()) {
        refuse(post.reply, 406, "Accept has to list text/event-stream to listen.");
        return;
      }
      SessionState none = backend.newSession(ClientChannel.NONE, SessionMemory.NONE);
      Attributes attributes = attributes(post, none).with(STATELESS, this);
      HttpReply reply = asked.method().equals("subscriptions/listen")
          ? lasting(post.request, post.reply, post.principal)
          : post.reply;
      StatelessReply sink = new StatelessReply(reply, 200, frameBytes());
      FrameResponder.InFlightFrame exchanged = responder
          .of(post.request.channel(), attributes)
          .serve(post.request.body(), 0, post.request.body().length, sink);
      reply.mayStream(Map.of());
      reply.onGone(exchanged::abandon); // a client that disconnects cancels its request
      exchanged.whenDone(reply::end);
    } else {
      post.error(400, invalid("in this revision the server sends no requests to answer"));
    }
  }

  private static Attributes attributes(Post post, SessionState session) {
    Attributes attributes = post.request.attributes().with(CallAttributes.SESSION, session);
    return post.principal == null ? attributes : attributes.with(Principal.KEY, post.principal);
  }

  // ---------------------------------------------------------------- requests in a session

  private void inSession(Post post) {
    boolean begins = post.single() instanceof Request request
        && request.method().equals("initialize")
        && post.request.header(SESSION_HEADER) == null;
    HttpSession session = begins ? begin(post) : session(post);
    if (session == null) {
      return;
    }
    if (post.isArray && !session.session().takesBatches()) {
      post.error(400, invalid("this revision has no batches; send the messages one by one"));
      return;
    }
    if (!begins && post.messages.stream().anyMatch(StreamableHttpHandler::saysVersion)) {
      RpcException mismatch = Errors.headerMismatch(
          "Mcp-Session-Id names a session, and params._meta a revision without sessions");
      post.error(400, mismatch.error());
      return;
    }
    serve(post, session, begins);
  }

  private @Nullable HttpSession begin(Post post) {
    HttpSession session = sessions.create(
        post.principal, post.request.channel().remote(), post.request.body().length);
    if (session == null) {
      refuse(post.reply, 503, "There are too many sessions; try again later.");
    }
    return session;
  }

  private @Nullable HttpSession session(Post post) {
    String id = post.request.header(SESSION_HEADER);
    String version = post.request.header(VERSION_HEADER);
    if (id == null) {
      post.error(
          400, invalid("Mcp-Session-Id is missing; begin a session with initialize, without it"));
      return null;
    }
    HttpSession session = sessions.find(id, post.principal);
    if (session == null) {
      post.error(404, invalid("there is no such session; begin one with initialize"));
    } else if (version != null && backend.transport(version) == null) {
      post.error(400, invalid("MCP-Protocol-Version names no supported revision"));
      return null;
    }
    return session;
  }

  private void serve(Post post, HttpSession session, boolean begins) {
    List<Message> served = new ArrayList<>();
    for (Message message : post.messages) {
      if (message instanceof Response) {
        session.deliver(JsonRpc.write(message));
      } else if (isCancellation(message)) {
        session.cancel(((Notification) message).params());
      } else {
        served.add(message);
      }
    }
    byte[] frame =
        served.size() == post.messages.size() ? post.request.body() : rest(post.request.body());
    if (frame.length == 0) {
      post.reply.answer(202, Map.of(), NOTHING);
      return;
    }
    Runnable refused = begins ? () -> sessions.end(session) : () -> {};
    SessionReply sink = new SessionReply(session, post.reply, frameBytes(), refused);
    Attributes attributes = attributes(post, session.session())
        .with(Resumable.KEY, sink)
        .with(SessionReply.REPLY, sink);
    HttpSession.Running running = served.stream().anyMatch(Request.class::isInstance)
        ? session.begin(post.messages, sink)
        : null;
    FrameResponder.InFlightFrame exchanged =
        responder.of(post.request.channel(), attributes).serve(frame, 0, frame.length, sink);
    if (running != null) {
      post.reply.onSilence(sink::breakSilence);
      session.running(running, exchanged);
    } else {
      // No effect if the invalid elements of the batch were answered with errors.
      exchanged.whenDone(() -> post.reply.answer(202, Map.of(), NOTHING));
    }
  }

  private static boolean isCancellation(Message message) {
    return message instanceof Notification n && n.method().equals("notifications/cancelled");
  }

  /**
   * Returns the batch without responses and cancellations, which the session has handled. Empty if
   * no element is left. Invalid elements remain, because the engine answers them with errors.
   */
  private byte[] rest(byte[] batch) {
    JsonWriter out = new JsonWriter();
    char before = '[';
    for (Json element : Json.parse(batch).elements()) {
      byte[] text = element.toBytes();
      if (element.kind() != Json.Kind.OBJECT
          || read(text).stream()
              .noneMatch(message -> message instanceof Response || isCancellation(message))) {
        out.put(before).raw(text);
        before = ',';
      }
    }
    return before == '[' ? NOTHING : out.put(']').toBytes();
  }

  private List<Message> read(byte[] frame) {
    return JsonRpc.read(frame, options.limits(), options.lenience());
  }

  private int frameBytes() {
    return options.limits().frameBytes();
  }

  // ---------------------------------------------------------------- GET and DELETE

  private void get(HttpRequest request, HttpReply reply, @Nullable Principal principal) {
    String id = request.header(SESSION_HEADER);
    String version = request.header(VERSION_HEADER);
    HttpTransport transport = transport(request);
    if (transport == HttpTransport.STATELESS) {
      notAllowed(reply, "POST");
    } else if (!reply.takesEvents()) {
      refuse(reply, 406, "Accept has to list text/event-stream.");
    } else if (id == null && (version == null || transport == HttpTransport.SSE)) {
      eventConnections.open(reply, principal, request.channel().remote());
    } else if (id == null) {
      refuse(reply, 400, "Mcp-Session-Id is missing; begin a session by POST.");
    } else if (version != null && transport == null) {
      refuse(reply, 400, "MCP-Protocol-Version names no supported revision.");
    } else {
      HttpSession session = sessions.find(id, principal);
      if (session == null) {
        refuse(reply, 404, "There is no such session; begin one by POST.");
      } else {
        session.listen(reply, request.header("last-event-id"));
      }
    }
  }

  private void delete(HttpRequest request, HttpReply reply, @Nullable Principal principal) {
    String id = request.header(SESSION_HEADER);
    if (id == null) {
      if (transport(request) == HttpTransport.STATELESS) {
        notAllowed(reply, "POST");
      } else {
        refuse(reply, 400, "Mcp-Session-Id is missing.");
      }
    } else if (sessions.end(id, principal)) {
      reply.answer(204, Map.of(), NOTHING);
    } else {
      refuse(reply, 404, "There is no such session.");
    }
  }
}

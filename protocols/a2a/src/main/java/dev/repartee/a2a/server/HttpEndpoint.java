package dev.repartee.a2a.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.FrameResponder;
import dev.repartee.Options;
import dev.repartee.ProtocolException;
import dev.repartee.a2a.wire.A2aDialect;
import dev.repartee.access.Principal;
import dev.repartee.json.JsonException;
import dev.repartee.message.Id;
import dev.repartee.message.JsonRpc;
import dev.repartee.message.Message;
import dev.repartee.message.Notification;
import dev.repartee.message.Request;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpService;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Serves HTTP: a POST for each request (section 9), and the document with the card. */
final class HttpEndpoint implements HttpService {
  private static final Pattern JSON =
      Pattern.compile("application/(a2a\\+)?json\\s*(;.*)?", Pattern.CASE_INSENSITIVE);
  private static final Map<String, String> TEXT =
      Map.of("content-type", "text/plain; charset=utf-8");

  private final Settings settings;
  private final String path;
  private final CardPage cards;
  private final FrameResponder responder;
  private final int frameBytes;

  /**
   * Creates an endpoint.
   *
   * @param path the path of the endpoint
   */
  HttpEndpoint(Settings settings, LiveTasks tasks, Turns turns, String path) {
    this.settings = settings;
    this.path = path;
    this.cards = new CardPage(settings, path);
    Options options =
        settings.options().toBuilder().dialect(new A2aDialect()).builtins().build();
    this.frameBytes = options.limits().frameBytes();
    this.responder = FrameResponder.of(
        new Operations(settings, tasks, turns, cards).service(),
        options,
        new ChannelInfo("http", "", "message"));
  }

  @Override
  public Set<String> furtherPaths() {
    return Set.of(CardPage.PATH);
  }

  @Override
  public void serve(HttpRequest request, HttpReply reply) {
    if (request.path().equals(CardPage.PATH)) {
      cards.serve(request, reply);
    } else if (!request.path().equals(path)) {
      refuse(reply, 404, Map.of(), "Nothing is served at this path.");
    } else if (!request.method().equals("POST")) {
      refuse(reply, 405, Map.of("allow", "POST"), "Only POST is allowed.");
    } else if (!isJson(request.header("content-type"))) {
      refuse(reply, 415, Map.of(), "This request needs Content-Type: application/json.");
    } else {
      post(request, reply);
    }
  }

  private static boolean isJson(@Nullable String type) {
    return type != null && JSON.matcher(type.strip()).matches();
  }

  private static void refuse(
      HttpReply reply, int status, Map<String, String> headers, String sentence) {
    Map<String, String> all = new HashMap<>(TEXT);
    all.putAll(headers);
    reply.answer(status, all, (sentence + "\n").getBytes(UTF_8));
  }

  private void post(HttpRequest request, HttpReply reply) {
    StreamReply sink = new StreamReply(reply, frameBytes);
    Attributes attributes = request
        .attributes()
        .with(StreamReply.KEY, sink)
        .with(Operations.ARRIVAL, System.nanoTime());
    Function<HttpRequest, @Nullable String> clients = settings.clients();
    Principal principal = request.attributes().get(Principal.KEY);
    if (clients == null && principal != null) {
      attributes = attributes.with(Operations.CLIENT, principal.name());
    } else if (clients != null) {
      String client = clients.apply(request);
      if (client == null) {
        refuse(
            reply,
            401,
            Map.of("www-authenticate", "Bearer"),
            "This request needs credentials; the agent card names the schemes.");
        return;
      }
      attributes = attributes.with(Operations.CLIENT, client);
    }
    byte[] frame = answered(request.body());
    FrameResponder.InFlightFrame served =
        responder.of(request.channel(), attributes).serve(frame, 0, frame.length, sink);
    reply.onGone(served::abandon);
    served.whenDone(reply::end);
  }

  /**
   * Converts a message without an id to a request with the id null. A2A does not have
   * notifications; clients expect an answer to each message.
   */
  private byte[] answered(byte[] body) {
    try {
      Options options = responder.options();
      List<Message> messages = JsonRpc.read(body, options.limits(), options.lenience());
      return messages.size() == 1 && messages.get(0) instanceof Notification single
          ? JsonRpc.write(new Request(Id.NULL, single.method(), single.params()))
          : body;
    } catch (JsonException | ProtocolException e) {
      return body; // the engine answers with the reason
    }
  }
}

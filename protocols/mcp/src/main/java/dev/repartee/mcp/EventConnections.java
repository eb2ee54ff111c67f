package dev.repartee.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.HttpReply;
import dev.repartee.HttpRequest;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Clients of 2024-11-05: a GET opens a stream of events, whose first says where to send messages to.
 * Thread-safe.
 */
final class EventConnections {
  /** How the address for messages begins behind its question mark. */
  static final String QUERY = "session=";

  private record Known(EventChannel channel, @Nullable String owner) {}

  private final Protocol protocol;
  private final String path;
  private final Map<String, Known> connections = new ConcurrentHashMap<>();

  EventConnections(Protocol protocol, String path) {
    this.protocol = protocol;
    this.path = path;
  }

  void open(HttpReply reply, @Nullable Principal principal) {
    String id = HttpSessions.newId();
    EventChannel channel = new EventChannel(
        reply,
        principal,
        protocol.server().options().limits().frameBytes(),
        () -> connections.remove(id));
    connections.put(id, new Known(channel, name(principal)));
    if (!reply.stream(Map.of())) {
      connections.remove(id);
      return;
    }
    byte[] address = (path + "?" + QUERY + id).getBytes(UTF_8);
    reply.send(new HttpReply.Event(null, "endpoint", null, address));
    Connection.open(protocol, channel);
  }

  void deliver(HttpRequest request, HttpReply reply, @Nullable Principal principal) {
    String id = Objects.requireNonNull(request.query()).substring(QUERY.length());
    Known known = connections.get(id);
    if (known == null || !Objects.equals(known.owner, name(principal))) {
      HttpFront.refuse(reply, 404, "There is no such session; open one with a GET.");
    } else if (known.channel.deliver(request.body())) {
      reply.answer(202, Map.of(), new byte[0]);
    } else {
      HttpFront.refuse(reply, 503, "Too much waits to be served; try again later.");
    }
  }

  private static @Nullable String name(@Nullable Principal principal) {
    return principal == null ? null : principal.name();
  }

  void close() {
    connections.values().forEach(known -> known.channel.close());
  }
}

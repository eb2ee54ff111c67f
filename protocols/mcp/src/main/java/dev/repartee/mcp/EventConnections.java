package dev.repartee.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.DisconnectedException;
import dev.repartee.HttpReply;
import dev.repartee.HttpRequest;
import dev.repartee.Peer;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Clients of 2024-11-05: a GET opens a stream of events, whose first says where to send messages to.
 * Thread-safe.
 */
final class EventConnections {
  /** How the address for messages begins behind its question mark. */
  static final String QUERY = "session=";

  private record Known(
      EventChannel channel, Peer peer, @Nullable String owner) {}

  private final Protocol protocol;
  private final String path;
  private final Map<String, Known> connections = new ConcurrentHashMap<>();

  EventConnections(Protocol protocol, String path) {
    this.protocol = protocol;
    this.path = path;
  }

  void open(HttpReply reply, @Nullable Principal principal) {
    String id = Unguessable.name();
    EventChannel channel = new EventChannel(
        reply, protocol.server().options().limits().frameBytes(), () -> connections.remove(id));
    if (!reply.stream(Map.of())) {
      return;
    }
    Peer peer = Connection.open(protocol, channel);
    connections.put(id, new Known(channel, peer, name(principal)));
    try {
      byte[] address = (path + "?" + QUERY + id).getBytes(UTF_8);
      reply.send(new HttpReply.Event(null, "endpoint", null, address));
    } catch (DisconnectedException e) {
      channel.abort(null); // gone before it was told
    }
    if (!peer.isOpen()) {
      connections.remove(id); // it may have ended before it was there
    }
  }

  /**
   * Takes a message for one of the connections.
   *
   * @param refused answers the request and returns true where its token does not allow the message
   */
  void deliver(
      HttpRequest request,
      HttpReply reply,
      @Nullable Principal principal,
      BooleanSupplier refused) {
    String id = Objects.requireNonNull(request.query()).substring(QUERY.length());
    Known known = connections.get(id);
    if (known == null || !Objects.equals(known.owner, name(principal))) {
      HttpFront.refuse(reply, 404, "There is no such session; open one with a GET.");
    } else if (refused.getAsBoolean()) {
      return;
    } else if (known.channel.deliver(request.body(), principal)) {
      reply.answer(202, Map.of(), new byte[0]);
    } else {
      HttpFront.refuse(reply, 503, "Too much waits to be served; try again later.");
    }
  }

  private static @Nullable String name(@Nullable Principal principal) {
    return principal == null ? null : principal.name();
  }

  /** Ends those in which nothing runs, and the others when they are done or have had their time. */
  void closing() {
    connections.values().forEach(known -> {
      protocol.server().audience().leave(known.peer);
      CompletableFuture.runAsync(known.peer::close);
    });
  }
}

package dev.repartee.mcp.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Peer;
import dev.repartee.access.Principal;
import dev.repartee.internal.Threads;
import dev.repartee.mcp.state.RandomIds;
import dev.repartee.mcp.state.SessionMemory;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP with SSE transport of 2024-11-05. A GET opens an SSE stream. The first event contains
 * the URL for the client's POSTs. Thread-safe.
 */
final class EventConnections {
  /** The start of the query in the URL for POSTs; the id of the stream follows. */
  static final String QUERY = "session=";

  private record Known(
      EventChannel channel, Peer peer, @Nullable String owner) {}

  private final Backend backend;
  private final String path;
  private final Map<String, Known> connections = new ConcurrentHashMap<>();

  EventConnections(Backend backend, String path) {
    this.backend = backend;
    this.path = path;
  }

  /** {@code remote} is the address and port of the client. */
  void open(HttpReply reply, @Nullable Principal principal, String remote) {
    String id = RandomIds.name();
    EventChannel channel = new EventChannel(
        reply, principal, backend.options().limits().frameBytes(), () -> connections.remove(id));
    if (!reply.stream(Map.of())) {
      return;
    }
    Peer peer = backend.open(channel, SessionMemory.owner(principal, remote));
    connections.put(id, new Known(channel, peer, name(principal)));
    try {
      byte[] address = (path + "?" + QUERY + id).getBytes(UTF_8);
      reply.send(new HttpReply.Event(null, "endpoint", null, address));
    } catch (DisconnectedException e) {
      channel.abort(null); // the client disconnected before the first event
    }
    if (!peer.isOpen()) {
      connections.remove(id); // it may have ended before it was added
    }
  }

  /**
   * Delivers a POST to one of the streams.
   *
   * @param refused answers the POST and returns true if its token lacks scopes for the message
   */
  void deliver(
      HttpRequest request,
      HttpReply reply,
      @Nullable Principal principal,
      BooleanSupplier refused) {
    String id = Objects.requireNonNull(request.query()).substring(QUERY.length());
    Known known = connections.get(id);
    if (known == null || !Objects.equals(known.owner, name(principal))) {
      StreamableHttpHandler.refuse(reply, 404, "There is no such session; open one with a GET.");
    } else if (refused.getAsBoolean()) {
      return;
    } else if (known.channel.deliver(request, principal)) {
      reply.answer(202, Map.of(), new byte[0]);
    } else {
      StreamableHttpHandler.refuse(reply, 503, "Too many messages are queued; try again later.");
    }
  }

  private static @Nullable String name(@Nullable Principal principal) {
    return principal == null ? null : principal.name();
  }

  /** Closes all connections. Running calls may finish within the drain time. */
  void closing() {
    connections.values().forEach(known -> {
      backend.endListening(known.peer);
      // Not the common pool: with one thread there, the drain times would add up.
      Threads.start(Threads.CALLS, known.peer::close);
    });
  }
}

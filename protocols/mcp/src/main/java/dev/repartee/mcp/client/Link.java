package dev.repartee.mcp.client;

import dev.repartee.Peer;
import dev.repartee.json.Json;
import dev.repartee.mcp.client.http.EventStreamChannel;
import dev.repartee.mcp.client.http.StreamableHttpChannel;
import dev.repartee.mcp.types.Implementation;
import dev.repartee.mcp.types.Revision;
import dev.repartee.transport.Channel;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection with the outcome of its negotiation. The fields are set before the link is
 * published to other threads.
 */
final class Link {
  /** The outcome of the negotiation of one connection. */
  record Agreed(
      Revision revision,
      @Nullable Implementation server,
      Json capabilities,
      @Nullable String instructions) {}

  private final Channel channel;
  private final @Nullable StreamableHttpChannel http;
  private @Nullable Peer peer;
  private volatile @Nullable Agreed agreed;
  private volatile boolean dropped;

  Link(Channel channel) {
    this.channel = channel;
    this.http = channel instanceof StreamableHttpChannel streamable ? streamable : null;
  }

  void peer(Peer peer) {
    this.peer = peer;
  }

  Peer peer() {
    return Objects.requireNonNull(peer);
  }

  /** Returns the channel of Streamable HTTP, or null for another transport. */
  @Nullable StreamableHttpChannel http() {
    return http;
  }

  /**
   * Waits until the server has accepted the notifications sent so far. Needed only over HTTP, where
   * each message is a separate request and a later message may overtake an earlier one.
   */
  void awaitNotifications(long time, TimeUnit unit) throws InterruptedException {
    if (http != null) {
      http.awaitNotifications(time, unit);
    } else if (channel instanceof EventStreamChannel events) {
      events.awaitNotifications(time, unit);
    }
  }

  void agreed(Agreed agreed) {
    this.agreed = agreed;
  }

  Agreed agreed() {
    return Objects.requireNonNull(agreed);
  }

  Revision revision() {
    return agreed().revision;
  }

  /** Returns whether the negotiation has ended with a stateless revision. */
  boolean isStateless() {
    Agreed known = agreed;
    return known != null && known.revision.isStateless();
  }

  /** Returns whether the server has announced a flag of a capability. */
  boolean announces(String capability, String flag) {
    Json settings = agreed().capabilities.get(capability);
    return settings != null
        && settings.kind() == Json.Kind.OBJECT
        && Json.TRUE.equals(settings.get(flag));
  }

  /** Returns whether the server can run tool calls as experimental tasks (2025-11-25). */
  boolean hasTasks() {
    Json found = agreed().capabilities;
    for (String name : new String[] {"tasks", "requests", "tools", "call"}) {
      found = found == null ? null : found.get(name);
    }
    return found != null;
  }

  /** Returns whether requests can be sent here. */
  boolean isOpen() {
    return !dropped && peer().isOpen();
  }

  /**
   * Closes this link for further requests, because the server no longer knows its session or
   * revision. Returns false if it was dropped before. Called with the lock of {@link Requests}.
   */
  boolean drop() {
    boolean first = !dropped;
    dropped = true;
    return first;
  }

  /** Ends the connection, because the server has broken the protocol. */
  void abort(Throwable cause) {
    channel.abort(cause);
  }

  String server() {
    return channel.info().other();
  }
}

package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one client between its requests: what it said in its handshake, and what it asked
 * for. On a connection without a handshake it stays empty. Thread-safe.
 */
final class Session {
  /** What a client said in its handshake. */
  record Handshake(Revision revision, Implementation client, ClientCapabilities capabilities) {}

  private final Line line;
  private volatile @Nullable Handshake handshake;
  private volatile LogLevel level = LogLevel.INFO;
  private final Set<String> subscriptions = ConcurrentHashMap.newKeySet();

  Session(Line line) {
    this.line = line;
  }

  Line line() {
    return line;
  }

  @Nullable Handshake handshake() {
    return handshake;
  }

  void begin(Handshake handshake) {
    this.handshake = handshake;
  }

  /** Whether arrays of messages are taken. */
  boolean takesBatches() {
    Handshake known = handshake;
    return known != null && known.revision == Revision.V2025_03_26;
  }

  LogLevel level() {
    return level;
  }

  void level(LogLevel level) {
    this.level = level;
  }

  /** Subscribes to the resource of that URI; false where there are too many already. */
  boolean subscribe(String uri, int max) {
    if (subscriptions.size() >= max) {
      return subscriptions.contains(uri);
    }
    subscriptions.add(uri);
    return true;
  }

  void unsubscribe(String uri) {
    subscriptions.remove(uri);
  }

  /** Tells the client that a resource has changed, if it asked for that. */
  void updated(String uri, Json params) {
    if (subscriptions.contains(uri)) {
      line.notify("notifications/resources/updated", params);
    }
  }
}

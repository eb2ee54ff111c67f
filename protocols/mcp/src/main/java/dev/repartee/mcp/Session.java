package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

  /** The characters of all URIs that a client subscribes to, together. */
  static final int MAX_REMEMBERED = 64 << 10;

  private static final int MAX_PAGES = 100;

  private final Line line;
  private volatile @Nullable Handshake handshake;
  private volatile LogLevel level = LogLevel.INFO;
  private final Set<String> subscriptions = ConcurrentHashMap.newKeySet();
  private int remembered; // guarded by this
  private @Nullable Notices notices; // guarded by this

  /** The pages that the user was sent to, the oldest given up first; guarded by itself. */
  private final Set<String> pages = Collections.newSetFromMap(new LinkedHashMap<>() {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
      return size() > MAX_PAGES;
    }
  });

  private volatile boolean over;

  Session(Line line) {
    this.line = line;
  }

  Line line() {
    return line;
  }

  /** The client has gone. */
  void end() {
    over = true;
    notices().close();
  }

  boolean isOver() {
    return over;
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

  /** Subscribes to the resource of that URI; false where that would be too much to remember. */
  synchronized boolean subscribe(String uri) {
    if (subscriptions.contains(uri)) {
      return true;
    }
    if (remembered + uri.length() > MAX_REMEMBERED) {
      return false;
    }
    remembered += uri.length();
    return subscriptions.add(uri);
  }

  synchronized void unsubscribe(String uri) {
    if (subscriptions.remove(uri)) {
      remembered -= uri.length();
    }
  }

  /** Tells the client of a change of that subject, now or when it reads. */
  void tell(Object subject, String method, Json params) {
    notices().add(subject, () -> line.notify(method, params));
  }

  /** What the client has still to be told: most sessions stand for one request and are told nothing. */
  private synchronized Notices notices() {
    Notices known = notices;
    if (known == null) {
      known = new Notices();
      notices = known;
    }
    return known;
  }

  /** The user of the client was sent to a page of that id. */
  void sentTo(String page) {
    synchronized (pages) {
      pages.add(page);
    }
  }

  /** Tells the client that its user is done with a page, if it was sent there. */
  void visited(String page) {
    boolean known;
    synchronized (pages) {
      known = pages.remove(page);
    }
    if (known) {
      Json params = new Members().put("elicitationId", page).json();
      tell(List.of("page", page), "notifications/elicitation/complete", params);
    }
  }

  /** Tells the client that a resource has changed, if it asked for that. */
  void updated(String uri, Json params) {
    if (subscriptions.contains(uri)) {
      tell(uri, "notifications/resources/updated", params);
    }
  }
}

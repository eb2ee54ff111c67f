package dev.repartee.mcp;

import dev.repartee.HeldBytes;
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

  /** The most subscriptions of a client. */
  static final int MAX_SUBSCRIPTIONS = 1_000;

  private static final int MAX_PAGES = 100;

  /** The memory of a session besides what its client says, of one over HTTP most of all. */
  private static final int WEIGHT = 4 << 10;

  /** The memory of a subscription besides the characters of its URI. */
  private static final int SUBSCRIPTION_WEIGHT = 128;

  /** The memory of all sessions of the process. */
  private static final HeldBytes KEPT = HeldBytes.of(HeldBytes.ofProcess().max() / 8);

  private final Line line;
  private volatile @Nullable Handshake handshake;
  private volatile LogLevel level = LogLevel.INFO;
  private final Set<String> subscriptions = ConcurrentHashMap.newKeySet();
  private final HeldBytes.Share share = KEPT.share(0); // guarded by this
  private int remembered; // guarded by this
  private @Nullable Notices notices; // guarded by this

  /** The bytes of what the client said in its handshake, or of the request with it; guarded by this. */
  private long said;

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
  synchronized void end() {
    over = true;
    notices().close();
    share.hold(0);
  }

  /**
   * Takes the memory of the session, and of a handshake in a message of that many bytes.
   *
   * @return false where the sessions of the process have no room for it
   */
  synchronized boolean reserve(long bytes) {
    said = Math.min(bytes, Lifecycle.MAX_SAID);
    return hold(remembered, subscriptions.size());
  }

  synchronized long held() {
    return share.counted();
  }

  /** The bytes that all sessions of the process may hold. */
  static long maxHeld() {
    return KEPT.max();
  }

  /** Texts are counted twice: they may take two bytes a character. */
  private boolean hold(long characters, long uris) {
    return !over && share.hold(WEIGHT + 2 * (said + characters) + SUBSCRIPTION_WEIGHT * uris);
  }

  boolean isOver() {
    return over;
  }

  @Nullable Handshake handshake() {
    return handshake;
  }

  /**
   * Takes note of the handshake, in which the client has said that many bytes of itself; for those the
   * memory was taken where {@link #reserve} was called.
   *
   * @return false where the sessions of the process have no room for it
   */
  boolean begin(Handshake handshake, long bytes) {
    if (held() == 0 && !reserve(bytes)) {
      return false;
    }
    this.handshake = handshake;
    return true;
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
    int characters = remembered + uri.length();
    int uris = subscriptions.size() + 1;
    if (characters > MAX_REMEMBERED || uris > MAX_SUBSCRIPTIONS || !hold(characters, uris)) {
      return false;
    }
    remembered = characters;
    return subscriptions.add(uri);
  }

  synchronized void unsubscribe(String uri) {
    if (subscriptions.remove(uri)) {
      remembered -= uri.length();
      hold(remembered, subscriptions.size());
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

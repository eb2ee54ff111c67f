package dev.repartee.mcp;

import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.state.ClientChannel;
import dev.repartee.mcp.state.Notices;
import dev.repartee.mcp.state.SessionMemory;
import dev.repartee.mcp.state.SessionState;
import dev.repartee.mcp.types.ClientCapabilities;
import dev.repartee.mcp.types.Implementation;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.transport.Attribute;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of one client between its requests: its handshake, log level and subscriptions. Without
 * a handshake it stays empty. Thread-safe.
 *
 * <p>A session goes from new to begun ({@link #begin}) to over ({@link #end}). Its memory is
 * counted from {@link #reserve} until {@link #end}. The lock of this object guards the memory and
 * all data that is counted in it. While it is held, the lock of a {@link SessionMemory} may be
 * acquired.
 */
final class ServerSession implements SessionState {
  /** A client as it describes itself: in its handshake, or in each stateless request. */
  record Client(Revision revision, Implementation self, ClientCapabilities capabilities) {
    /** A client before its handshake. */
    static final Client UNKNOWN = new Client(
        Revision.LAST_WITH_HANDSHAKE, Implementation.of("", ""), ClientCapabilities.NONE);
  }

  /** The method of the notification that carries a log message. */
  static final String LOG = "notifications/message";

  /** The maximum number of characters of all subscribed URIs together. */
  static final int MAX_REMEMBERED = 64 << 10;

  /** The maximum number of subscriptions. */
  static final int MAX_SUBSCRIPTIONS = 1_000;

  private static final int MAX_PAGES = 100;

  /**
   * The assumed memory of a session without the client's data, in bytes. HTTP sessions need the
   * most.
   */
  private static final int WEIGHT = 4 << 10;

  /** The assumed memory of a subscription without its URI, in bytes. */
  private static final int SUBSCRIPTION_WEIGHT = 128;

  private final ClientChannel channel;
  private volatile @Nullable Client handshake;
  private volatile LogLevel level = LogLevel.INFO;
  private final Set<String> subscriptions = ConcurrentHashMap.newKeySet();
  private final SessionMemory.Share share; // grows under the lock of this object
  private int remembered; // characters of the subscribed URIs; guarded by this
  private @Nullable Notices notices; // guarded by this

  /** The bytes of client info and capabilities, or an upper limit for them; guarded by this. */
  private long said;

  /**
   * The ids of URL elicitations that are not complete, oldest first; at most {@link #MAX_PAGES}.
   * Guarded by itself.
   */
  private final Set<String> pages = Collections.newSetFromMap(new LinkedHashMap<>() {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
      return size() > MAX_PAGES;
    }
  });

  /** The objects of handlers, see {@link McpCall#inSession}. Guarded by this. */
  private final Map<Attribute<?>, AutoCloseable> kept = new LinkedHashMap<>();

  private volatile boolean over;

  /** Creates the session of a request without a handshake. */
  ServerSession(ClientChannel channel) {
    this(channel, SessionMemory.NONE);
  }

  ServerSession(ClientChannel channel, SessionMemory.Share share) {
    this.channel = channel;
    this.share = share;
  }

  ClientChannel channel() {
    return channel;
  }

  /** Ends the session: releases its memory and drops pending notifications. */
  synchronized void end() {
    over = true;
    if (notices != null) {
      notices.close();
    }
    share.hold(0);
    if (!kept.isEmpty()) {
      List<AutoCloseable> all = List.copyOf(kept.values());
      kept.clear();
      Threads.start("repartee-mcp-end", () -> all.forEach(ServerSession::close));
    }
  }

  private static void close(AutoCloseable object) {
    try {
      object.close();
    } catch (Exception e) {
      System.getLogger("dev.repartee")
          .log(System.Logger.Level.WARNING, "closing an object of an MCP session failed", e);
    }
  }

  /** Returns the object of a handler that ends with this session; see {@link McpCall#inSession}. */
  synchronized <T extends AutoCloseable> T keep(Attribute<T> key, Supplier<T> first) {
    if (channel == ClientChannel.NONE) {
      throw new ToolException("This tool keeps state between its calls, and this request belongs to"
          + " no session. Use standard input and output, or Streamable HTTP with a session"
          + " (initialize).");
    } else if (over) {
      throw new ToolException("The session has ended.");
    }
    @SuppressWarnings("unchecked") // each value was stored with a key of its type
    T known = (T) kept.get(key);
    if (known == null) {
      known = first.get();
      kept.put(key, known);
    }
    return known;
  }

  @Override
  public synchronized boolean reserve(long bytes) {
    said = Math.min(bytes, Lifecycle.MAX_SAID);
    return hold(remembered, subscriptions.size());
  }

  @Override
  public boolean ownerHasRoom(long bytes) {
    return share.ownerHasRoom(size(Math.min(bytes, Lifecycle.MAX_SAID), 0));
  }

  @Override
  public long held() {
    return share.counted();
  }

  /** Returns the memory budget in bytes that this session shares with others. */
  long maxHeld() {
    return share.max();
  }

  /** Adjusts the reserved memory. */
  private boolean hold(long characters, long uris) {
    return !over && share.hold(size(said + characters, uris));
  }

  /** Returns the assumed memory of a session. Characters are counted as two bytes. */
  private static long size(long characters, long uris) {
    return WEIGHT + 2 * characters + SUBSCRIPTION_WEIGHT * uris;
  }

  boolean isOver() {
    return over;
  }

  @Nullable Client handshake() {
    return handshake;
  }

  /**
   * Stores the handshake. Memory for its bytes is reserved now unless {@link #reserve} was called.
   *
   * @return false if the memory budget of all sessions or of the owner is exhausted
   */
  boolean begin(Client handshake, long bytes) {
    if (held() == 0 && !reserve(bytes)) {
      return false;
    }
    this.handshake = handshake;
    return true;
  }

  @Override
  public boolean takesBatches() {
    Client known = handshake;
    return known != null && known.revision == Revision.V2025_03_26;
  }

  @Override
  public boolean takesEmptyEvents() {
    Client known = handshake;
    return known != null && known.revision.isAtLeast(Revision.V2025_11_25);
  }

  LogLevel level() {
    return level;
  }

  void level(LogLevel level) {
    this.level = level;
  }

  /** Returns the params of a log message; {@code logger} may be null. */
  static Json message(LogLevel level, @Nullable String logger, Object data) {
    return new JsonObjectBuilder()
        .put("level", level.label())
        .put("logger", logger)
        .put("data", Json.of(data))
        .build();
  }

  /** Sends a log message if the client wants its level; drops it if the client does not read. */
  void log(LogLevel level, Json params) {
    if (!over && level.compareTo(this.level) >= 0) {
      channel.notify(LOG, params);
    }
  }

  /** Subscribes to a resource. Returns false if the subscription would exceed a limit. */
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

  /**
   * Sends a notification now, or else when the client reads. Replaces an unsent notification of the
   * same subject.
   */
  void tell(Object subject, String method, Json params) {
    notices().add(subject, () -> channel.notify(method, params));
  }

  /**
   * Returns the pending notifications. They are created on demand: most sessions serve a single
   * stateless request and send none.
   */
  private synchronized Notices notices() {
    Notices known = notices;
    if (known == null) {
      known = new Notices();
      if (over) {
        known.close(); // drops all notifications
      }
      notices = known;
    }
    return known;
  }

  /** Records that a URL elicitation was sent to the client. */
  void sentTo(String page) {
    synchronized (pages) {
      pages.add(page);
    }
  }

  /** Notifies the client that a URL elicitation is complete, if it was sent to this client. */
  void completeElicitation(String page) {
    boolean known;
    synchronized (pages) {
      known = pages.remove(page);
    }
    if (known) {
      Json params = new JsonObjectBuilder().put("elicitationId", page).build();
      tell(List.of("page", page), "notifications/elicitation/complete", params);
    }
  }

  /** Notifies the client that a resource has changed, if the client subscribed to it. */
  void updated(String uri, Json params) {
    if (subscriptions.contains(uri)) {
      tell(uri, "notifications/resources/updated", params);
    }
  }
}

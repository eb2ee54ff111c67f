package dev.repartee.mcp;

import dev.repartee.Options;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The sessions of an HTTP endpoint, by their ids. Thread-safe. */
final class HttpSessions {
  private static final int MAX = 10_000;

  /** A session in which nothing is asked for that long may be given up. */
  private static final long IDLE_NANOS = Duration.ofMinutes(30).toNanos();

  private final McpServer server;
  private final Options options;
  private final LongSupplier nanoTime;
  private final Map<String, HttpSession> sessions = new ConcurrentHashMap<>();

  /** {@code nanoTime} is what tells for how long nothing was asked. */
  HttpSessions(McpServer server, Options options, LongSupplier nanoTime) {
    this.server = server;
    this.options = options;
    this.nanoTime = nanoTime;
  }

  /** A new session of that principal; null where there are too many that are in use. */
  @Nullable HttpSession create(@Nullable Principal principal) {
    sessions.forEach((id, session) -> {
      if (session.idleNanos() > IDLE_NANOS) {
        end(id);
      }
    });
    if (sessions.size() >= MAX) {
      return null;
    }
    String id = Unguessable.name();
    HttpSession session = new HttpSession(id, principal, server.inputTimeout(), options, nanoTime);
    sessions.put(id, session);
    return session;
  }

  /** The session of that id, if it is that principal's; null otherwise. */
  @Nullable HttpSession find(String id, @Nullable Principal principal) {
    HttpSession session = sessions.get(id);
    return session != null && session.isOf(principal) ? session : null;
  }

  /** Ends the session of that id; answers whether that principal had one. */
  boolean end(String id, @Nullable Principal principal) {
    return find(id, principal) != null && end(id);
  }

  /** Ends the session of that id; answers whether there was one. */
  boolean end(String id) {
    HttpSession session = sessions.remove(id);
    if (session == null) {
      return false;
    }
    server.audience().remove(session.session());
    session.close();
    return true;
  }

  /** What listens ends. */
  void closing() {
    sessions.values().forEach(HttpSession::closing);
  }

  void close() {
    sessions.keySet().forEach(this::end);
  }
}

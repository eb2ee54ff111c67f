package dev.repartee.mcp.http;

import dev.repartee.Options;
import dev.repartee.access.Principal;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.mcp.state.RandomIds;
import dev.repartee.mcp.state.SessionMemory;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of an HTTP endpoint by their ids. Each session has an owner: its principal, or the
 * address of the client if the server is not protected. If the number or the memory of sessions
 * reaches its limit, a new session replaces an unused session, or else the session that was idle
 * for longest. The replaced session has the same owner if that owner is at its own limit. Otherwise
 * it belongs to the owner whose sessions use the most memory.
 *
 * <p>Thread-safe. Look-ups do not lock, except for the first use of a session. Sessions are added
 * and removed under the lock of this object, which also guards the owners and {@code swept}. While
 * it is held, only the locks of a session and of a {@link SessionMemory} are acquired.
 */
public final class HttpSessions {
  private static final int MAX = 10_000;
  private static final int MAX_OF_PRINCIPAL = 1_000;

  /** Larger than the limit of a principal, because all clients behind a proxy have one address. */
  private static final int MAX_OF_ADDRESS = MAX / 2;

  /** A session without a request for this time is ended. */
  private static final long IDLE_NANOS = Duration.ofMinutes(30).toNanos();

  /** The same limit for a session that has received only {@code initialize}. */
  private static final long UNUSED_NANOS = Duration.ofMinutes(1).toNanos();

  /** The minimum time between two searches for expired sessions when a new session begins. */
  private static final long SWEEP_NANOS = Duration.ofSeconds(10).toNanos();

  /** The time between two searches while no session begins. */
  private static final Duration SWEEP_PAUSE = Duration.ofMinutes(1);

  private final Backend backend;
  private final Options options;
  private final Clock clock;
  private final Map<String, HttpSession> sessions = new ConcurrentHashMap<>();
  private final Map<String, SessionOwner> owners = new HashMap<>(); // guarded by this
  private long swept; // guarded by this

  /** Whether the timer runs. It runs while sessions exist. Guarded by this. */
  private boolean timed;

  /** Creates the sessions; {@code clock} is the clock of the idle times. */
  public HttpSessions(Backend backend, Options options, Clock clock) {
    this.backend = backend;
    this.options = options;
    this.clock = clock;
    this.swept = clock.nanos();
  }

  /**
   * Begins a session.
   *
   * @param remote the address and port of the client as in {@link
   *     dev.repartee.transport.ChannelInfo#remote}
   * @param said the bytes of the request, an upper limit for the client info and capabilities in it
   * @return null if the limits are reached and every session that could be replaced runs a call
   */
  public @Nullable HttpSession create(@Nullable Principal principal, String remote, long said) {
    sweep();
    HttpSession session = new HttpSession(
        RandomIds.name(),
        SessionMemory.owner(principal, remote),
        principal,
        backend,
        options,
        clock);
    int most = principal == null ? MAX_OF_ADDRESS : MAX_OF_PRINCIPAL;
    while (!add(session, most, said)) {
      HttpSession given = leastMissed(session, most, said);
      if (given == null) {
        end(session);
        return null;
      }
      end(given);
    }
    return session;
  }

  private void sweep() {
    long now = clock.nanos();
    synchronized (this) {
      if (now - swept < SWEEP_NANOS) {
        return;
      }
      swept = now;
    }
    endExpired();
  }

  /** Ends expired sessions at intervals until no session is left, even if no new session begins. */
  private void sweepLater() {
    clock.schedule(SWEEP_PAUSE, Threads.CALLS, () -> {
      endExpired();
      synchronized (this) {
        timed = !sessions.isEmpty();
        if (timed) {
          sweepLater();
        }
      }
    });
  }

  private void endExpired() {
    sessions.values().stream()
        .filter(each -> each.idleNanos() > (each.isUsed() ? IDLE_NANOS : UNUSED_NANOS))
        .toList()
        .forEach(this::end);
  }

  /** Adds a session. Returns false if it would exceed a limit. */
  private synchronized boolean add(HttpSession session, int most, long said) {
    SessionOwner owner = owners.get(session.owner());
    if (sessions.size() >= MAX
        || owner != null && owner.size() >= most
        || !session.session().reserve(said)) {
      return false;
    }
    owners.computeIfAbsent(session.owner(), name -> new SessionOwner()).add(session);
    sessions.put(session.id(), session);
    if (!timed) {
      timed = true;
      sweepLater();
    }
    return true;
  }

  /** Returns the session to replace with a new session, or null if all sessions run calls. */
  private synchronized @Nullable HttpSession leastMissed(HttpSession session, int most, long said) {
    SessionOwner own = owners.get(session.owner());
    if (own != null && own.size() >= most || !session.session().ownerHasRoom(said)) {
      return own == null ? null : own.leastMissed(clock.nanos());
    }
    Map<String, Long> held = SessionMemory.HTTP.owners(); // a copy, so the order is consistent
    List<Map.Entry<String, SessionOwner>> largestFirst = owners.entrySet().stream()
        .sorted(Comparator.comparingLong(each -> -held.getOrDefault(each.getKey(), 0L)))
        .toList();
    for (Map.Entry<String, SessionOwner> each : largestFirst) {
      HttpSession found = each.getValue().leastMissed(clock.nanos());
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** Returns the session of that id if it belongs to the principal, null otherwise. */
  public @Nullable HttpSession find(String id, @Nullable Principal principal) {
    HttpSession session = sessions.get(id);
    if (session == null || !session.isOf(principal)) {
      return null;
    }
    if (session.isUsed()) {
      session.use();
    } else {
      firstUse(session);
    }
    return session;
  }

  private synchronized void firstUse(HttpSession session) {
    session.use();
    SessionOwner owner = owners.get(session.owner());
    if (owner != null) {
      owner.use(session);
    }
  }

  /** Ends the session of that id. Returns false if the principal does not own such a session. */
  public boolean end(String id, @Nullable Principal principal) {
    HttpSession session = find(id, principal);
    return session != null && end(session);
  }

  /** Ends a session. Returns false if it had ended already. */
  boolean end(HttpSession session) {
    boolean known;
    synchronized (this) {
      known = sessions.remove(session.id(), session);
      SessionOwner owner = owners.get(session.owner());
      if (known && owner != null && owner.remove(session)) {
        owners.remove(session.owner());
      }
    }
    backend.end(session.session());
    session.close();
    return known;
  }

  /** Returns the open sessions. */
  public Collection<HttpSession> values() {
    return sessions.values();
  }

  /** Ends the standing streams of all sessions. Running calls continue. */
  void closing() {
    sessions.values().forEach(HttpSession::closing);
  }

  public void close() {
    List.copyOf(sessions.values()).forEach(this::end);
  }
}

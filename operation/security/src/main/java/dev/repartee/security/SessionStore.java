package dev.repartee.security;

import dev.repartee.access.Principal;
import dev.repartee.limits.ClientShares;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The sessions by the digest of their id. If the store is full, the oldest session of the principal
 * with the most sessions ends. Finding a session acquires no lock. Thread-safe.
 */
final class SessionStore {
  /** A session. */
  static final class Session {
    final Principal principal;

    /** The time on the clock when the session ends, even if it is in use. */
    final long end;

    /** The time on the clock when the session ends without another request. */
    volatile long idleEnd;

    Session(Principal principal, long end, long idleEnd) {
      this.principal = principal;
      this.end = end;
      this.idleEnd = idleEnd;
    }

    boolean isOver(long now) {
      return now >= end || now >= idleEnd;
    }
  }

  /** The minimum time between two searches for ended sessions, which take milliseconds. */
  private static final long PAUSE = Duration.ofMinutes(1).toNanos();

  private final int most;
  private final Map<Digest, Session> sessions = new ConcurrentHashMap<>();

  /** Guarded by its lock. */
  private final ClientShares shares;

  /** The time of the last search for ended sessions. Guarded by the lock of the shares. */
  private long swept;

  SessionStore(int most, long now) {
    this.most = most;
    this.swept = now - PAUSE;
    this.shares = new ClientShares(most, most);
  }

  @Nullable Session get(Digest id) {
    return sessions.get(id);
  }

  void add(Digest id, Session session, long now) {
    synchronized (shares) {
      if (sessions.size() >= most && now - swept >= PAUSE) {
        swept = now;
        new ArrayList<>(sessions.entrySet())
            .stream()
                .filter(each -> each.getValue().isOver(now))
                .forEach(each -> drop(each.getKey()));
      }
      String client = session.principal.name();
      shares.makeRoom(
          id.hex(),
          client,
          1,
          ClientShares.Use.ENDED,
          removed -> sessions.remove(Digest.ofHex(removed)));
      shares.put(id.hex(), client, 1, ClientShares.Use.ENDED);
      sessions.put(id, session);
    }
  }

  /** Ends a session, and returns it; null if there is none. */
  @Nullable Session remove(Digest id) {
    synchronized (shares) {
      return drop(id);
    }
  }

  void removeAll(String principal) {
    synchronized (shares) {
      List<Digest> ids = new ArrayList<>();
      sessions.forEach((id, session) -> {
        if (session.principal.name().equals(principal)) {
          ids.add(id);
        }
      });
      ids.forEach(this::drop);
    }
  }

  int size() {
    return sessions.size();
  }

  private @Nullable Session drop(Digest id) {
    shares.remove(id.hex());
    return sessions.remove(id);
  }
}

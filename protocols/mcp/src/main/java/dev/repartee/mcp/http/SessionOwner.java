package dev.repartee.mcp.http;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one principal or address, in the order for ending them: first the unused
 * sessions, then the used sessions. A session counts as used after its second request. As a result,
 * unused sessions cannot end sessions in use, no matter how many a client begins. Guarded by the
 * lock of {@link HttpSessions}.
 *
 * <p>Unused sessions are grouped by size. Sessions are ended in the group that uses the most
 * memory, oldest first. A client that begins many sessions of one size therefore only ends sessions
 * of that size, the oldest first. The order "newest first" was rejected: it would end each new
 * session of an honest client immediately.
 *
 * <p>Only the first use of a session changes the sets. Later requests do not lock; {@link
 * #leastMissed} updates the order of the used sessions when it is needed.
 */
final class SessionOwner {
  /** The unused sessions, oldest first, by the logarithm of their size to base 2. */
  private final Map<Integer, Set<HttpSession>> unused = new HashMap<>();

  /** The used sessions, by the time of their last request when they were last sorted. */
  private final TreeSet<HttpSession> used = new TreeSet<>(
      Comparator.<HttpSession>comparingLong(each -> each.seenUsed).thenComparing(HttpSession::id));

  private int size;

  void add(HttpSession session) {
    unused.computeIfAbsent(magnitude(session), key -> new LinkedHashSet<>()).add(session);
    size++;
  }

  /** Moves a session to the used sessions, unless it was removed before. */
  void use(HttpSession session) {
    if (removeUnused(session)) {
      see(session, session.lastUsed());
    }
  }

  /** Removes a session. Returns true if it was the last session of the owner. */
  boolean remove(HttpSession session) {
    if (removeUnused(session) || used.remove(session)) {
      size--;
    }
    return size == 0;
  }

  private boolean removeUnused(HttpSession session) {
    Set<HttpSession> similar = unused.get(magnitude(session));
    return similar != null && similar.remove(session);
  }

  /**
   * Returns the size group of a session. Constant while the session is unused, because only
   * subscriptions increase the size.
   */
  private static int magnitude(HttpSession session) {
    return Long.SIZE - Long.numberOfLeadingZeros(session.held());
  }

  /** Returns the number of sessions. */
  int size() {
    return size;
  }

  /**
   * Returns the session to end next: an unused session, else the session that was idle for longest,
   * else a session in which the client only listens. Returns null if all sessions run calls.
   */
  @Nullable HttpSession leastMissed(long now) {
    HttpSession leastUsed = oldestUnused();
    return leastUsed == null ? longestIdle(now) : leastUsed;
  }

  /** Returns the oldest unused session of the size group that uses the most memory. */
  private @Nullable HttpSession oldestUnused() {
    long most = 0;
    HttpSession oldest = null;
    for (Map.Entry<Integer, Set<HttpSession>> each : unused.entrySet()) {
      long held = (long) each.getValue().size() << each.getKey();
      if (held > most) {
        most = held;
        oldest = each.getValue().iterator().next();
      }
    }
    return oldest;
  }

  private @Nullable HttpSession longestIdle(long now) {
    HttpSession listening = null;
    for (int looks = used.size(); looks > 0; looks--) {
      HttpSession each = used.first();
      boolean inUse = each.isRunning() || each.isListening();
      if (!inUse && each.lastUsed() == each.seenUsed) {
        return each;
      }
      listening = listening == null && !each.isRunning() ? each : listening;
      used.remove(each);
      see(each, inUse ? now : each.lastUsed());
    }
    for (HttpSession each : used) { // the order is now up to date
      if (!each.isRunning() && !each.isListening()) {
        return each;
      }
    }
    return listening;
  }

  private void see(HttpSession session, long time) {
    session.seenUsed = time;
    used.add(session);
  }
}

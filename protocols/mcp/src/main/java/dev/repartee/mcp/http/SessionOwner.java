package dev.repartee.mcp.http;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one principal or address, in the order in which they should be ended: first the
 * unused ones, then the used ones. A session is used if a second request was received in it. So new
 * sessions that nobody uses cannot end sessions in use, no matter how many there are. Guarded by
 * the lock of {@link HttpSessions}.
 *
 * <p>Unused sessions of similar size are ended oldest first, and the size of which the sessions
 * hold most memory comes first. So a client that begins many sessions of one size leaves the new
 * sessions of other sizes alone, and those of its own size live as long as there is room. The order
 * "newest first" would end each new session of an honest client at once.
 *
 * <p>Only the first use of a session changes the sets; later requests take no lock. {@link
 * #leastMissed} brings the order of used sessions up to date when it is needed.
 */
final class SessionOwner {
  /** The unused sessions, oldest first, by the logarithm of their size to base 2. */
  private final Map<Integer, Set<HttpSession>> unused = new HashMap<>();

  /** The used sessions, by the time of their last request as of the last look. */
  private final TreeSet<HttpSession> used = new TreeSet<>(
      Comparator.<HttpSession>comparingLong(each -> each.seenUsed).thenComparing(HttpSession::id));

  private int size;

  void add(HttpSession session) {
    unused.computeIfAbsent(magnitude(session), key -> new LinkedHashSet<>()).add(session);
    size++;
  }

  /** Moves a session to the used ones, unless it was removed before. */
  void use(HttpSession session) {
    if (removeUnused(session)) {
      see(session, session.lastUsed());
    }
  }

  /** Removes a session; true if the owner has none left. */
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

  /** Constant while a session is unused: it grows by subscriptions only. */
  private static int magnitude(HttpSession session) {
    return Long.SIZE - Long.numberOfLeadingZeros(session.held());
  }

  /** Returns the number of sessions. */
  int size() {
    return size;
  }

  /**
   * Returns the session to end next: an unused one, else the one that was idle for longest, else
   * one in which the client only listens; null if all run calls.
   */
  @Nullable HttpSession leastMissed(long now) {
    HttpSession leastUsed = oldestUnused();
    return leastUsed == null ? longestIdle(now) : leastUsed;
  }

  /** Returns the oldest unused session of the size of which the sessions hold most memory. */
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

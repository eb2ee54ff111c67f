package dev.repartee.mcp;

import java.time.Duration;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one principal or address, in the order in which they should be ended. Guarded by
 * the lock of {@link HttpSessions}.
 *
 * <p>A request does not reorder the sets, since it takes no lock. {@link #leastMissed} brings the
 * order up to date when it is needed.
 */
final class SessionOwner {
  /**
   * A session younger than this is not ended as unused: its client may not have had time for a
   * request.
   */
  private static final long SETTLING_NANOS = Duration.ofSeconds(2).toNanos();

  /** Sessions without a second request at the last look, oldest first. */
  private final Set<HttpSession> unused = new LinkedHashSet<>();

  /** All other sessions, by the time of their last request as of the last look. */
  private final TreeSet<HttpSession> used = new TreeSet<>(
      Comparator.<HttpSession>comparingLong(each -> each.seenUsed).thenComparing(HttpSession::id));

  void add(HttpSession session) {
    unused.add(session);
  }

  /** Removes a session; true if the owner has none left. */
  boolean remove(HttpSession session) {
    if (!unused.remove(session)) {
      used.remove(session);
    }
    return unused.isEmpty() && used.isEmpty();
  }

  /** Returns the number of sessions. */
  int size() {
    return unused.size() + used.size();
  }

  /**
   * Returns the session to end next: the oldest unused one, else the one that was idle for longest,
   * else one in which the client only listens; null if all run calls.
   */
  @Nullable HttpSession leastMissed(long now) {
    Iterator<HttpSession> oldest = unused.iterator();
    while (oldest.hasNext()) {
      HttpSession each = oldest.next();
      if (each.isUsed()) {
        oldest.remove();
        see(each, each.lastUsed());
      } else if (each.idleNanos() >= SETTLING_NANOS) {
        return each;
      } else {
        break; // the following ones are younger
      }
    }
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
    return listening != null
        ? listening
        : unused.stream().filter(each -> !each.isRunning()).findFirst().orElse(null);
  }

  private void see(HttpSession session, long time) {
    session.seenUsed = time;
    used.add(session);
  }
}

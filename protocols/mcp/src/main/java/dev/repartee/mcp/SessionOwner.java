package dev.repartee.mcp;

import java.time.Duration;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The sessions of one principal or address. Guarded by its {@link HttpSessions}. */
final class SessionOwner {
  /** A session that is younger is not taken for unused: its client may not have had the time. */
  private static final long SETTLING_NANOS = Duration.ofSeconds(2).toNanos();

  /** Those that nothing was asked in when this last looked, the oldest first. */
  private final Set<HttpSession> unused = new LinkedHashSet<>();

  /** The others, by when they were used as far as this has looked: a use does not reorder them. */
  private final TreeSet<HttpSession> used = new TreeSet<>(
      Comparator.<HttpSession>comparingLong(each -> each.seenUsed).thenComparing(HttpSession::id));

  private long held;

  void add(HttpSession session) {
    unused.add(session);
    held += session.held();
    session.heldOfOwner = session.held();
  }

  /** Removes a session; answers whether none is left. */
  boolean remove(HttpSession session) {
    held -= session.heldOfOwner;
    if (!unused.remove(session)) {
      used.remove(session);
    }
    return unused.isEmpty() && used.isEmpty();
  }

  /** The bytes that its sessions held when they began. */
  long held() {
    return held;
  }

  /** Whether it has that many sessions, or half of the memory of all sessions. */
  boolean hasAll(int most) {
    return unused.size() + used.size() >= most || held >= Session.maxHeld() / 2;
  }

  /**
   * Returns the session to give up next: one that was never used, or the one that was idle for longest,
   * or else one in which the client only listens; null where all run something.
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
        break; // those behind it are younger
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
    for (HttpSession each : used) { // in their order by now
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

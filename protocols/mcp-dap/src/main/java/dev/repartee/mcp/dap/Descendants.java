package dev.repartee.mcp.dap;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The processes below an adapter, among them the program. They are recorded while the adapter is
 * running: after its end the operating system no longer knows which processes it has started.
 * Process ids that an adapter reports are not used, since they could belong to a process of another
 * session. Thread-safe.
 */
final class Descendants {
  /**
   * The pause between an event and the recording of processes. Further events during the pause are
   * ignored.
   */
  private static final long PAUSE_MILLIS = 200;

  private final Set<ProcessHandle> noted = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean soon = new AtomicBoolean();
  private volatile boolean seen;

  /** Records the current descendants of an adapter; null if the adapter is not a child process. */
  void note(@Nullable ProcessHandle adapter) {
    if (adapter != null) {
      noted.removeIf(each -> !each.isAlive());
      adapter.descendants().forEach(noted::add);
      seen |= !noted.isEmpty();
    }
  }

  /**
   * Records the processes after a pause, on another thread. A program may start after the event
   * that announces it, and each recording reads the list of all processes of the system.
   */
  void noteSoon(@Nullable ProcessHandle adapter) {
    if (adapter != null && soon.compareAndSet(false, true)) {
      Clock.SYSTEM.schedule(Duration.ofMillis(PAUSE_MILLIS), Threads.CALLS, () -> {
        soon.set(false);
        note(adapter);
      });
    }
  }

  /** Returns whether a process was recorded; it may have ended. */
  boolean hasSeen() {
    return seen;
  }

  boolean has(ProcessHandle process) {
    return noted.contains(process);
  }

  /** Ends the recorded processes and their descendants, within two seconds. */
  void end() {
    Set<ProcessHandle> all = new LinkedHashSet<>();
    for (ProcessHandle each : List.copyOf(noted)) {
      if (each.isAlive()) {
        each.descendants().forEach(all::add);
        all.add(each);
      }
    }
    Terminals.end(new ArrayList<>(all));
  }
}

package dev.repartee.mcp.dap;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The processes below an adapter, among them the program. They are noted while the adapter lives:
 * after its end the system does not tell which processes it had started. Process ids that an
 * adapter reports are not used, since it could name a process of another session. Thread-safe.
 */
final class Descendants {
  /** The pause before processes are noted after an event; further events meanwhile do nothing. */
  private static final long PAUSE_MILLIS = 200;

  private final Set<ProcessHandle> noted = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean soon = new AtomicBoolean();
  private volatile boolean seen;

  /** Notes the processes that are below an adapter now; null if the adapter is no child process. */
  void note(@Nullable ProcessHandle adapter) {
    if (adapter != null) {
      noted.removeIf(each -> !each.isAlive());
      adapter.descendants().forEach(noted::add);
      seen |= !noted.isEmpty();
    }
  }

  /**
   * Notes the processes after a pause, on another thread. A program may begin after the event that
   * announces it, and each look reads the list of all processes of the system.
   */
  void noteSoon(@Nullable ProcessHandle adapter) {
    if (adapter != null && soon.compareAndSet(false, true)) {
      CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS).execute(() -> {
        soon.set(false);
        note(adapter);
      });
    }
  }

  /** Returns whether a process was noted, which may have ended. */
  boolean hasSeen() {
    return seen;
  }

  boolean has(ProcessHandle process) {
    return noted.contains(process);
  }

  /** Ends the noted processes and those below them; takes up to two seconds. */
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

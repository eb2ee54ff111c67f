package dev.repartee.mcp.dap;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The processes below an adapter, among them the program. They are noted while the adapter lives:
 * after its end the system does not tell which processes it had started. Process ids that an
 * adapter reports are not used, since it could name a process of another session. Thread-safe.
 */
final class Descendants {
  private final Set<ProcessHandle> noted = ConcurrentHashMap.newKeySet();

  /** Notes the processes that are below an adapter now; null if the adapter is no child process. */
  void note(@Nullable ProcessHandle adapter) {
    if (adapter != null) {
      noted.removeIf(each -> !each.isAlive());
      adapter.descendants().forEach(noted::add);
    }
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

package dev.repartee.a2a.push;

import dev.repartee.a2a.wire.Errors;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Keeps addresses in the memory of this process. If there are too many, those of the oldest tasks
 * are forgotten. Thread-safe.
 */
public final class MemoryPushConfigStore implements PushConfigStore {
  /** The greatest number of addresses of a task. */
  private static final int EACH = 10;

  private final int maxTasks;

  /** The addresses by task, the oldest first, and by id; guarded by this. */
  private final Map<String, TreeMap<String, StoredPushConfig>> tasks = new LinkedHashMap<>();

  /** Creates a store for 10,000 tasks. */
  public MemoryPushConfigStore() {
    this(10_000);
  }

  /** Creates a store for a number of tasks. */
  public MemoryPushConfigStore(int maxTasks) {
    if (maxTasks < 1) {
      throw new IllegalArgumentException("a store needs room for at least one task");
    }
    this.maxTasks = maxTasks;
  }

  @Override
  public synchronized void save(StoredPushConfig config) {
    TreeMap<String, StoredPushConfig> known =
        tasks.computeIfAbsent(config.taskId(), id -> new TreeMap<>());
    if (known.size() >= EACH && !known.containsKey(config.id())) {
      throw Errors.busy("pushConfigsOfTask", EACH);
    }
    known.put(config.id(), config);
    if (tasks.size() > maxTasks) {
      tasks.remove(tasks.keySet().iterator().next());
    }
  }

  @Override
  public synchronized List<StoredPushConfig> list(String taskId) {
    TreeMap<String, StoredPushConfig> known = tasks.get(taskId);
    return known == null ? List.of() : List.copyOf(known.values());
  }

  @Override
  public synchronized void delete(String taskId, String id) {
    TreeMap<String, StoredPushConfig> known = tasks.get(taskId);
    if (known != null) {
      known.remove(id);
      if (known.isEmpty()) {
        tasks.remove(taskId);
      }
    }
  }
}

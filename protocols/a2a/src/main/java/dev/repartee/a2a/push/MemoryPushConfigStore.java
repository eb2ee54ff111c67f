package dev.repartee.a2a.push;

import dev.repartee.a2a.types.AuthenticationInfo;
import dev.repartee.a2a.types.TaskPushNotificationConfig;
import dev.repartee.a2a.wire.Errors;
import dev.repartee.limits.ClientShares;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps addresses in the memory of this process. At the maximum number of tasks, or at 16 Mi
 * characters, the store forgets the addresses of the oldest task of the client with the largest share,
 * see {@link ClientShares}. Thread-safe.
 */
public final class MemoryPushConfigStore implements PushConfigStore {
  /** The maximum number of addresses of a task. */
  private static final int EACH = 10;

  /** The maximum length of an address with its credentials. */
  private static final int CHARS = 64 << 10;

  /** The maximum length of all addresses with their credentials. */
  private static final long ALL_CHARS = 16 << 20;

  /** The addresses by task and by id; guarded by this. */
  private final Map<String, TreeMap<String, StoredPushConfig>> tasks = new HashMap<>();

  /** The lengths of the addresses by task; guarded by this. */
  private final ClientShares shares;

  /** Creates a store for 10,000 tasks. */
  public MemoryPushConfigStore() {
    this(10_000);
  }

  /** Creates a store for a number of tasks. */
  public MemoryPushConfigStore(int maxTasks) {
    if (maxTasks < 1) {
      throw new IllegalArgumentException("maxTasks has to be at least 1, not " + maxTasks);
    }
    this.shares = new ClientShares(maxTasks, ALL_CHARS);
  }

  @Override
  public synchronized void save(StoredPushConfig config) {
    if (chars(config) > CHARS) {
      throw Errors.invalid("url", "is longer than " + CHARS + " characters with its credentials");
    }
    TreeMap<String, StoredPushConfig> known = tasks.get(config.taskId());
    if (known != null && known.size() >= EACH && !known.containsKey(config.id())) {
      throw Errors.busy("pushConfigsOfTask", EACH);
    }
    TreeMap<String, StoredPushConfig> next = known == null ? new TreeMap<>() : known;
    next.put(config.id(), config);
    String client = config.client() == null ? "" : config.client();
    long chars = chars(next);
    shares.makeRoom(config.taskId(), client, chars, ClientShares.Use.ENDED, tasks::remove);
    tasks.put(config.taskId(), next);
    shares.put(config.taskId(), client, chars, ClientShares.Use.ENDED);
  }

  private static long chars(TreeMap<String, StoredPushConfig> configs) {
    return configs.values().stream().mapToLong(MemoryPushConfigStore::chars).sum();
  }

  private static long chars(StoredPushConfig config) {
    TaskPushNotificationConfig to = config.config();
    AuthenticationInfo by = to.authentication();
    return length(config.id())
        + length(to.tenant())
        + length(to.url())
        + length(to.token())
        + (by == null ? 0 : length(by.scheme()) + length(by.credentials()));
  }

  private static long length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }

  @Override
  public synchronized List<StoredPushConfig> list(String taskId) {
    TreeMap<String, StoredPushConfig> known = tasks.get(taskId);
    return known == null ? List.of() : List.copyOf(known.values());
  }

  @Override
  public synchronized void delete(String taskId, String id) {
    TreeMap<String, StoredPushConfig> known = tasks.get(taskId);
    StoredPushConfig removed = known == null ? null : known.remove(id);
    if (known == null || removed == null) {
      return;
    }
    shares.remove(taskId);
    if (known.isEmpty()) {
      tasks.remove(taskId);
    } else {
      String client = removed.client() == null ? "" : removed.client();
      shares.put(taskId, client, chars(known), ClientShares.Use.ENDED);
    }
  }
}

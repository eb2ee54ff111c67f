package dev.repartee.a2a.push;

import dev.repartee.RpcException;
import java.util.List;

/**
 * Keeps the addresses for push notifications of one or several servers. They contain secrets.
 * Implementations must be thread-safe, and may block. A method may throw an {@link RpcException};
 * the request is then answered with this error.
 */
public interface PushConfigStore {
  /** Saves an address. Replaces an address with the same task and id. */
  void save(StoredPushConfig config);

  /** Returns the addresses of a task in the order of their ids. */
  List<StoredPushConfig> list(String taskId);

  /** Removes an address, if it exists. */
  void delete(String taskId, String id);
}

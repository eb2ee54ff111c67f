package dev.repartee.agents.serve;

import dev.repartee.agents.Agent;
import dev.repartee.json.Json;
import dev.repartee.limits.ClientShares;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The open tasks of an agent by their ids. A task is removed when it ends. The clients share the
 * places, as {@link ClientShares} describes: a task that waits for its client may be cancelled for
 * another one. Thread-safe.
 */
final class OpenTasks {
  /** The default maximum number of open tasks. */
  static final int MOST = 1_000;

  private final Agent agent;

  /** Guarded by this, as the field below. No lock is taken while it is held. */
  private final ClientShares shares;

  private final Map<String, OpenTask> tasks = new HashMap<>();

  OpenTasks(Agent agent) {
    this(agent, MOST);
  }

  OpenTasks(Agent agent, int most) {
    this.agent = agent;
    this.shares = new ClientShares(most, most);
  }

  /** Returns an open task; null if there is none with this id. */
  synchronized @Nullable OpenTask find(String id) {
    return tasks.get(id);
  }

  /**
   * Starts a task, which is open until its end.
   *
   * @param client the name of the client, see {@link ClientShares#client}
   * @return null if there is no place for a task of this client
   */
  @Nullable OpenTask start(String id, String client, @Nullable String skill, Json input) {
    if (!reserve(id, client)) {
      return null;
    }
    OpenTask task;
    try {
      task = new OpenTask(agent, id, skill, input, use -> use(id, client, use));
    } catch (RuntimeException | Error e) {
      end(id);
      throw e;
    }
    synchronized (this) {
      tasks.put(id, task);
    }
    task.output().whenComplete((json, failure) -> end(id));
    return task;
  }

  /** Reserves a place. The tasks that lose their places for it are cancelled. */
  private boolean reserve(String id, String client) {
    List<OpenTask> replaced = new ArrayList<>();
    boolean hasPlace;
    synchronized (this) {
      hasPlace = shares.makeRoom(
              id, client, 1, ClientShares.Use.RUNNING, old -> replaced.add(tasks.remove(old)))
          == null;
      if (hasPlace) {
        shares.put(id, client, 1, ClientShares.Use.RUNNING);
      }
    }
    replaced.forEach(OpenTask::cancel);
    return hasPlace;
  }

  private synchronized void use(String id, String client, ClientShares.Use use) {
    if (tasks.containsKey(id)) { // it may have ended, or lost its place
      shares.put(id, client, 1, use);
    }
  }

  private synchronized void end(String id) {
    tasks.remove(id);
    shares.remove(id);
  }
}

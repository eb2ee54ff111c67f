package dev.repartee.agents.serve;

import dev.repartee.agents.Agent;
import dev.repartee.json.Json;
import dev.repartee.limits.ClientShares;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The open tasks of an agent by their ids. A task is removed when it ends. The clients share the
 * {@link Places}. Thread-safe.
 */
final class OpenTasks {
  /** The default maximum number of open tasks. */
  static final int MOST = 1_000;

  private final Agent agent;
  private final Places places;
  private final Map<String, OpenTask> tasks = new ConcurrentHashMap<>();

  OpenTasks(Agent agent) {
    this(agent, MOST);
  }

  OpenTasks(Agent agent, int most) {
    this.agent = agent;
    this.places = new Places(most);
  }

  /** Returns an open task; null if there is none with this id. */
  @Nullable OpenTask find(String id) {
    return tasks.get(id);
  }

  /**
   * Starts a task, which is open until its end.
   *
   * @param client the name of the client, see {@link ClientShares#client}
   * @return null if there is no place for a task of this client
   */
  @Nullable OpenTask start(String id, String client, @Nullable String skill, Json input) {
    Places.Place place = places.enter(client);
    if (place == null) {
      return null;
    }
    OpenTask task;
    try {
      task = new OpenTask(agent, id, skill, input, place::use);
    } catch (RuntimeException | Error e) {
      place.leave();
      throw e;
    }
    tasks.put(id, task);
    task.output().whenComplete((json, failure) -> tasks.remove(id));
    place.hold(task.output());
    return task;
  }
}

package dev.repartee.agents.serve;

import dev.repartee.agents.Agent;
import dev.repartee.json.Json;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The open tasks of an agent by their ids. A task is removed when it ends. Thread-safe. */
final class OpenTasks {
  /** The maximum number of open tasks; a few more if calls arrive at the same time. */
  static final int MOST = 1_000;

  private final Agent agent;
  private final Map<String, OpenTask> tasks = new ConcurrentHashMap<>();

  OpenTasks(Agent agent) {
    this.agent = agent;
  }

  /** Returns whether the maximum is reached. */
  boolean isFull() {
    return tasks.size() >= MOST;
  }

  /** Returns an open task; null if there is none with this id. */
  @Nullable OpenTask find(String id) {
    return tasks.get(id);
  }

  /** Starts a task, which is open until its end. */
  OpenTask start(String id, @Nullable String skill, Json input) {
    OpenTask task = new OpenTask(agent, id, skill, input);
    tasks.put(id, task);
    task.output().whenComplete((json, failure) -> tasks.remove(id));
    return task;
  }
}

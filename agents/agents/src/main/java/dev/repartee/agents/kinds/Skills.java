package dev.repartee.agents.kinds;

import dev.repartee.agents.AgentException;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Skill;
import dev.repartee.agents.Task;
import dev.repartee.json.Json;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Chooses the skill for a task without one. */
final class Skills {
  /** The maximum number of skills in a message. */
  private static final int MOST_NAMES = 20;

  private Skills() {}

  /** Returns the skill of a task, or the only declared skill; null if the choice is not clear. */
  static @Nullable String chosen(Task task, List<Skill> declared) {
    return task.skill() == null && declared.size() == 1 ? declared.get(0).name() : task.skill();
  }

  /** Returns the failure of a task without a skill, if the agent needs one. */
  static CompletableFuture<Json> missing(String agent, List<Skill> declared) {
    return CompletableFuture.failedFuture(new AgentException(
        Failure.Kind.INPUT,
        "the task names no skill, and the agent '" + agent + "' "
            + (declared.isEmpty() ? "declares none" : "has several: " + names(declared))));
  }

  /** Returns the first names for an error message. */
  static String names(List<Skill> declared) {
    return declared.stream().map(Skill::name).limit(MOST_NAMES).collect(Collectors.joining(", "))
        + (declared.size() > MOST_NAMES ? " and others" : "");
  }
}

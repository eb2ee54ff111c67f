package dev.repartee.agents.kinds;

import dev.repartee.agents.Agent;
import dev.repartee.agents.AgentException;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Skill;
import dev.repartee.agents.Task;
import dev.repartee.agents.internal.Workers;
import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * An agent in this process with Java lambdas as skills:
 *
 * <pre>{@code
 * Agent words = LocalAgent.named("words")
 *     .skill("upper", task -> task.input().as(String.class).toUpperCase(Locale.ROOT))
 *     .build();
 * }</pre>
 *
 * <p>Each task runs on a separate thread, a virtual thread from Java 21 on. Cancelling the task
 * interrupts the thread; code that ignores the interrupt keeps the thread.
 */
public final class LocalAgent implements Agent {
  /** Does a task. */
  @FunctionalInterface
  public interface Work {
    /**
     * Does the task, on a thread that may block.
     *
     * @return the output, a value that {@link Json#of} can write
     * @throws Exception fails the task; {@link AgentException} states the kind of the failure
     */
    @Nullable Object run(Task task) throws Exception;
  }

  private final String name;
  private final String description;
  private final List<Skill> skills;
  private final Map<String, Work> work;
  private final Set<Running> running = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private LocalAgent(Builder made) {
    this.name = made.name;
    this.description = made.description;
    this.skills = List.copyOf(made.skills);
    this.work = Map.copyOf(made.work);
  }

  /** Returns a builder of an agent with this name. */
  public static Builder named(String name) {
    return new Builder(name);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public List<Skill> skills() {
    return skills;
  }

  @Override
  public CompletableFuture<Json> run(Task task) {
    String skill = Skills.chosen(task, skills);
    if (skill == null && !closed) {
      return Skills.missing(name, skills);
    }
    Work chosen = skill == null ? null : work.get(skill);
    if (chosen == null || closed) {
      return CompletableFuture.failedFuture(new AgentException(
          Failure.Kind.INPUT,
          closed
              ? "the agent '" + name + "' is closed"
              : "the agent '" + name + "' has no skill '" + skill + "'; it has "
                  + Skills.names(skills)));
    }
    Running now = new Running(chosen, task);
    running.add(now);
    now.output.whenComplete((json, failure) -> {
      running.remove(now);
      now.interrupt();
    });
    Workers.run(now.output, now);
    return now.output;
  }

  /** Cancels the running tasks. */
  @Override
  public void close() {
    closed = true;
    running.forEach(task -> task.output.cancel(true));
  }

  /**
   * A running task. {@code thread} is set only while the work runs, and changes under the lock. An
   * interrupt therefore never reaches later work of the same thread.
   */
  private static final class Running implements Runnable {
    private final Work work;
    private final Task task;
    final CompletableFuture<Json> output = new CompletableFuture<>();
    private @Nullable Thread thread; // guarded by this

    Running(Work work, Task task) {
      this.work = work;
      this.task = task;
    }

    @Override
    public void run() {
      synchronized (this) {
        if (output.isDone()) { // cancelled before it began
          return;
        }
        thread = Thread.currentThread();
      }
      Json result = null;
      Throwable failure = null;
      try {
        result = Json.of(work.run(task));
      } catch (Throwable e) {
        failure = e;
      }
      synchronized (this) {
        thread = null;
        Thread.interrupted(); // clears the interrupt, as the thread may be pooled
      }
      if (failure == null) {
        output.complete(result);
      } else {
        output.completeExceptionally(failure);
      }
    }

    synchronized void interrupt() {
      if (thread != null) {
        thread.interrupt();
      }
    }
  }

  /** Builds agents. Not thread-safe. */
  public static final class Builder {
    private final String name;
    private String description = "";
    private final List<Skill> skills = new ArrayList<>();
    private final Map<String, Work> work = new LinkedHashMap<>();

    private Builder(String name) {
      this.name = name;
    }

    /** Sets the description. */
    public Builder description(String description) {
      this.description = description;
      return this;
    }

    /** Adds a skill with this name. */
    public Builder skill(String skill, Work work) {
      return skill(Skill.named(skill), work);
    }

    /**
     * Adds a skill.
     *
     * @throws IllegalArgumentException if there is a skill with this name
     */
    public Builder skill(Skill skill, Work work) {
      if (this.work.putIfAbsent(skill.name(), work) != null) {
        throw new IllegalArgumentException(
            "the agent '" + name + "' has the skill '" + skill.name() + "' already");
      }
      skills.add(skill);
      return this;
    }

    /** Returns the agent. */
    public LocalAgent build() {
      return new LocalAgent(this);
    }
  }
}

package dev.repartee.agents.run;

import dev.repartee.agents.Human;
import dev.repartee.agents.plan.Plan;
import dev.repartee.json.Json;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A builder of runs: {@code orchestrator.request(plan).input(text).start()}. Not thread-safe. */
public final class RunRequest {
  private final Orchestrator orchestrator;
  private final Plan plan;
  private Json input = Json.EMPTY_OBJECT;
  private @Nullable String id;
  private Human human;
  private @Nullable Consumer<RunEvent> listener;

  RunRequest(Orchestrator orchestrator, Plan plan, Human human) {
    this.orchestrator = orchestrator;
    this.plan = plan;
    this.human = human;
  }

  /** Sets the input; {@code {}} by default. */
  public RunRequest input(Json input) {
    this.input = Objects.requireNonNull(input);
    return this;
  }

  /**
   * Sets the id; random by default. An interrupted run resumes if it is started with the same id,
   * plan and input.
   */
  public RunRequest id(String id) {
    this.id = Objects.requireNonNull(id);
    return this;
  }

  /** Sets the human for the questions of this run; by default the human of the orchestrator. */
  public RunRequest human(Human human) {
    this.human = Objects.requireNonNull(human);
    return this;
  }

  /**
   * Sets the listener of the run. It gets one event at a time, on a worker. If it is slow, progress
   * is dropped first, then changes of steps; {@link Run#steps} always returns the current state.
   */
  public RunRequest onEvent(Consumer<RunEvent> listener) {
    this.listener = listener;
    return this;
  }

  /**
   * Starts the run without waiting for its end.
   *
   * @throws IllegalArgumentException if the plan calls an agent that is not in the team
   * @throws IllegalStateException if a run with this id is running, too many runs are running, or
   *     the orchestrator is closed
   */
  public Run start() {
    return orchestrator.start(this);
  }

  Orchestrator orchestrator() {
    return orchestrator;
  }

  Json input() {
    return input;
  }

  Human human() {
    return human;
  }

  Run run() {
    return new Run(
        id == null ? UUID.randomUUID().toString() : id,
        plan,
        listener,
        orchestrator::forget,
        orchestrator.clock());
  }
}

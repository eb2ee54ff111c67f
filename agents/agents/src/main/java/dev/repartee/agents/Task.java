package dev.repartee.agents;

import dev.repartee.json.Json;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A task for an agent. Immutable; the methods {@code with...} return changed copies.
 *
 * <pre>{@code
 * Json answer = agent.run(Task.of("forecast", Json.of(Map.of("city", "Oslo")))).join();
 * }</pre>
 */
public final class Task {
  private static final Duration LONGEST = Duration.ofDays(365);

  private final String id;
  private final @Nullable String run;
  private final @Nullable String skill;
  private final Json input;
  private final long deadline; // in the time of System.nanoTime(); 0 for none
  private final Human human;
  private final Consumer<Progress> progress;
  private final Consumer<String> violations;

  private Task(
      String id,
      @Nullable String run,
      @Nullable String skill,
      Json input,
      long deadline,
      Human human,
      Consumer<Progress> progress,
      Consumer<String> violations) {
    this.id = id;
    this.run = run;
    this.skill = skill;
    this.input = input;
    this.deadline = deadline;
    this.human = human;
    this.progress = progress;
    this.violations = violations;
  }

  /**
   * Returns a task without a deadline and without a human: its questions are refused.
   *
   * @param skill the skill to use; null lets the agent choose
   */
  public static Task of(@Nullable String skill, Json input) {
    return new Task("task", null, skill, input, 0, Human.NOBODY, report -> {}, text -> {});
  }

  /**
   * Returns this task with an id. A step of a plan has the task id {@code RUN/STEP}, in each of its
   * attempts.
   */
  public Task withId(String id) {
    return new Task(
        Objects.requireNonNull(id), run, skill, input, deadline, human, progress, violations);
  }

  /**
   * Returns this task as a part of a run. Some agents ask questions that name no task. Such a
   * question reaches the human of a task only if no task of another run may have asked it; see
   * {@link #run()}.
   */
  public Task withRun(String run) {
    return new Task(
        id, Objects.requireNonNull(run), skill, input, deadline, human, progress, violations);
  }

  /**
   * Returns this task with a deadline, counted from now. A limit above 365 days becomes 365 days.
   */
  public Task withDeadline(Duration time) {
    Duration bounded = time.compareTo(LONGEST) > 0 ? LONGEST : time;
    long end = System.nanoTime() + bounded.toNanos();
    return new Task(id, run, skill, input, end == 0 ? 1 : end, human, progress, violations);
  }

  /** Returns this task with a human for its questions. */
  public Task withHuman(Human human) {
    return new Task(
        id, run, skill, input, deadline, Objects.requireNonNull(human), progress, violations);
  }

  /**
   * Returns this task with a consumer of its progress. The consumer may run on a thread that reads
   * a connection; it must not block.
   */
  public Task withProgress(Consumer<Progress> progress) {
    return new Task(
        id, run, skill, input, deadline, human, Objects.requireNonNull(progress), violations);
  }

  /**
   * Returns this task with a consumer of violations: input of the agent that breaks its protocol
   * while the task runs. It may explain a missing answer. The consumer must not block.
   */
  public Task withViolations(Consumer<String> violations) {
    return new Task(
        id, run, skill, input, deadline, human, progress, Objects.requireNonNull(violations));
  }

  /** Returns the id. */
  public String id() {
    return id;
  }

  /**
   * Returns the id of the run; null for a task outside of runs. The tasks of a run have the same
   * human. A task without a run does not share its human with another task.
   */
  public @Nullable String run() {
    return run;
  }

  /** Returns the skill to use; null lets the agent choose. */
  public @Nullable String skill() {
    return skill;
  }

  /** Returns the input. */
  public Json input() {
    return input;
  }

  /** Returns the time until the deadline, at least zero; null if there is none. */
  public @Nullable Duration timeLeft() {
    return deadline == 0 ? null : Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
  }

  /** Reports input of the agent that breaks its protocol, in a sentence. Does not block. */
  public void violation(String violation) {
    violations.accept(violation);
  }

  /** Reports progress. Does not block. */
  public void progress(Progress report) {
    progress.accept(report);
  }

  /**
   * Asks the human without waiting for the answer. An agreement without the required values of a
   * form becomes a refusal.
   *
   * @param agent the name of the agent that asks; null for an approval of a plan
   * @param schema the schema of a form; null to ask for consent only
   */
  public CompletionStage<Answer> ask(
      @Nullable String agent, String message, @Nullable Json schema) {
    Question question = new Question(id, agent, message, schema);
    CompletableFuture<Answer> asked = human.ask(question).toCompletableFuture();
    CompletableFuture<Answer> checked = asked.thenApply(answer -> answer.to(question));
    checked.whenComplete((answer, failure) -> asked.cancel(true)); // withdraws the question
    return checked;
  }
}

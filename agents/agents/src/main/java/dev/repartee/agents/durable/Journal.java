package dev.repartee.agents.durable;

import dev.repartee.agents.Failure;
import dev.repartee.json.Json;
import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the progress of runs. An interrupted run resumes from its last finished step.
 *
 * <p>The orchestrator uses a journal by these rules:
 *
 * <ul>
 *   <li>The same plan and input give the same step ids, such as {@code review/each[3]/check}. A run
 *       therefore resumes if it is started again with its id.
 *   <li>{@link Log#started} returns before the agent gets a task, and {@link Log#finished} before
 *       a later step begins.
 *   <li>A finished step never runs again: its output is read from the journal.
 *   <li>A step with a recorded start and no end runs again only if the plan declares it
 *       idempotent. Otherwise the step fails, because its outcome is unknown.
 *   <li>The end of a cancelled step is not recorded.
 * </ul>
 *
 * <p>Thread-safe. All methods may block. If a method throws, the run fails. If the journal
 * cannot record the start of a step, the step does not run.
 */
public interface Journal {
  /**
   * Opens the log of a new or interrupted run.
   *
   * @param plan the plan as JSON
   * @throws IllegalStateException if another orchestrator executes the run
   */
  Log open(String run, Json plan, Json input);

  /** The log of one run. Thread-safe. */
  interface Log {
    /**
     * Returns the last entry of each step that was started, by the id of the step; empty for a new
     * run. Called once, before the first step.
     */
    Map<String, Entry> entries();

    /**
     * Records the start of an attempt of a step.
     *
     * @param attempt counted from 1, over all executions of the run
     */
    void started(String step, int attempt, Instant at);

    /** Records the end of a step. */
    void finished(String step, Entry entry);

    /**
     * Sets the action for the loss of the run: it was cancelled elsewhere, or another process
     * has taken it over. After a loss the log refuses all records. The orchestrator calls this
     * once, before the first step. The default implementation never runs the action.
     *
     * @param action receives the reason. Runs immediately if the run is lost already; must not
     *     block
     */
    default void whenLost(Consumer<String> action) {}

    /**
     * Releases the log without an end of the run, such as after closing the orchestrator: another
     * orchestrator may now resume the run. Called once, instead of {@link #ended}. The default
     * implementation does nothing.
     */
    default void interrupted() {}

    /**
     * Records the end of the run; an ended run is never resumed. Not called if the run was
     * {@link #interrupted}.
     *
     * @param output the output; null if the run has failed
     * @param failure the failure; null if the run has succeeded
     */
    void ended(@Nullable Json output, @Nullable Failure failure);
  }

  /**
   * The recorded progress of a step.
   *
   * @param attempts the number of attempts in all executions of the run
   * @param started the start of the first attempt
   * @param ended the end; null if the step has not finished
   * @param output the output, or the fallback of a failed step; null if there is none
   * @param failure the failure; null if the step has succeeded
   */
  record Entry(
      int attempts,
      Instant started,
      @Nullable Instant ended,
      @Nullable Json output,
      @Nullable Failure failure) {
    /** Returns whether the step has finished. */
    public boolean isFinished() {
      return ended != null;
    }
  }

  /**
   * Returns a journal in the memory of this process. It drops the log of a run when the run ends.
   * It refuses to open a run that another orchestrator executes.
   */
  static Journal inMemory() {
    return new MemoryJournal();
  }
}

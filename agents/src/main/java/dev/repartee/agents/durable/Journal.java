package dev.repartee.agents.durable;

import dev.repartee.agents.Failure;
import dev.repartee.json.Json;
import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the progress of runs, so that an interrupted run resumes from its last finished step.
 *
 * <p>The engine uses it by these rules:
 *
 * <ul>
 *   <li>The same plan and input give the same step ids, such as {@code review/each[3]/check}. So a
 *       run resumes if it is started again with its id.
 *   <li>{@link Log#started} returns before the agent gets a task, and {@link Log#finished} before
 *       a later step begins.
 *   <li>A finished step is never run again: its output is that of the journal.
 *   <li>A step that was started and has no end is run again only if the plan declares it
 *       idempotent. Otherwise the step fails: its outcome is not known.
 *   <li>A cancelled step has no end in the journal.
 * </ul>
 *
 * <p>Thread-safe. All methods may block. If one throws, the run fails, and the step that could not
 * be recorded is not run.
 */
public interface Journal {
  /**
   * Returns the log of a run, which is new or was interrupted.
   *
   * @param plan the plan as JSON
   * @throws IllegalStateException if another orchestrator runs it at present
   */
  Log open(String run, Json plan, Json input);

  /** The log of one run. Thread-safe. */
  interface Log {
    /**
     * Returns the last entry of each step that was started before, by its id; none if the run is
     * new. Called once, before the first step.
     */
    Map<String, Entry> entries();

    /**
     * Records that an attempt of a step begins.
     *
     * @param attempt counted from 1, over all executions of the run
     */
    void started(String step, int attempt, Instant at);

    /** Records the end of a step. */
    void finished(String step, Entry entry);

    /**
     * Sets an action for the case that this process loses the run: the run was cancelled elsewhere,
     * or another process has it. The journal refuses its records from then on. Called once, before
     * the first step; by default the journal loses no run.
     *
     * @param action gets the reason, at once if the run is lost already; must not block
     */
    default void whenLost(Consumer<String> action) {}

    /**
     * Records the end of the run, which is not resumed any more. Not called if the orchestrator was
     * closed before.
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
   * @param started the begin of the first attempt
   * @param ended the end; null if the step was started and has not finished
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

  /** Returns a journal in the memory of this process. It forgets a run when the run has ended. */
  static Journal inMemory() {
    return new MemoryJournal();
  }
}

package dev.repartee.agents.postgres;

import dev.repartee.agents.Failure;
import dev.repartee.json.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A run in the database, at the time of the query.
 *
 * @param id the id
 * @param plan the plan as JSON
 * @param input the input
 * @param state the state
 * @param owner the last process that executed the run, as host, process id and a number; null if
 *     there was none
 * @param created the time of the start or submission
 * @param ended the time of the end or cancellation; null if there is none
 * @param output the output; null if the run has not succeeded
 * @param failure the failure; null if the run has not failed
 */
public record DurableRun(
    String id,
    Json plan,
    Json input,
    State state,
    @Nullable String owner,
    Instant created,
    @Nullable Instant ended,
    @Nullable Json output,
    @Nullable Failure failure) {
  /** The states of runs. */
  public enum State {
    /** The run was submitted, and no process executes it yet. */
    QUEUED,
    /** A living process executes the run. */
    RUNNING,
    /** The process of the run is dead, and no other process has taken over the run. */
    INTERRUPTED,
    /** The run was cancelled. It continues if it is started again under its id. */
    CANCELLED,
    /** The run has an output. */
    SUCCEEDED,
    /** The run has failed. */
    FAILED
  }

  /** Returns whether the run has ended; a cancelled run has not, since it may continue. */
  public boolean isEnded() {
    return state == State.SUCCEEDED || state == State.FAILED;
  }
}

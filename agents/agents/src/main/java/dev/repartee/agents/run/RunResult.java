package dev.repartee.agents.run;

import dev.repartee.agents.Failure;
import dev.repartee.json.Json;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a run, with the state of each step.
 *
 * @param run the id of the run
 * @param output the output; null if the run has failed
 * @param failure the failure, with the name of the failed step; null if the run has succeeded
 * @param step the id of the failed step that ended the run; null if there is none
 * @param calls the number of agent calls, with all retries
 * @param started the time of the start
 * @param ended the time of the end
 * @param steps all steps, each step before its inner steps
 */
public record RunResult(
    String run,
    @Nullable Json output,
    @Nullable Failure failure,
    @Nullable String step,
    int calls,
    Instant started,
    Instant ended,
    List<StepReport> steps) {
  /** Returns whether the run has succeeded. */
  public boolean isSuccess() {
    return failure == null;
  }
}

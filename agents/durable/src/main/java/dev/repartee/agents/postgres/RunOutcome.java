package dev.repartee.agents.postgres;

import dev.repartee.agents.Failure;
import dev.repartee.agents.postgres.StepRecord.FailureRecord;
import dev.repartee.json.Json;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of a run, in the form that is stored in the database.
 *
 * @param output the output as JSON text; empty if the run has failed
 * @param failure the failure; empty if the run has succeeded
 */
record RunOutcome(Optional<String> output, Optional<FailureRecord> failure) {
  static RunOutcome of(@Nullable Json output, @Nullable Failure failure) {
    return new RunOutcome(
        Optional.ofNullable(output).map(Json::toString),
        Optional.ofNullable(failure).map(FailureRecord::of));
  }

  Json toJson() {
    return Json.of(this);
  }
}

package dev.repartee.cli.agents;

import dev.repartee.agents.Failure;
import dev.repartee.agents.run.RunResult;
import dev.repartee.agents.run.StepReport;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Converts the result of a run to JSON. */
final class RunAccount {
  private RunAccount() {}

  static Json json(RunResult result) {
    return new JsonObjectBuilder()
        .put("run", result.run())
        .put("output", result.output())
        .put("failure", failure(result.failure()))
        .put("step", result.step())
        .put("calls", result.calls())
        .put("started", result.started().toString())
        .put("ended", result.ended().toString())
        .put("steps", result.steps().stream().map(RunAccount::step).toList())
        .build();
  }

  private static Json step(StepReport step) {
    return new JsonObjectBuilder()
        .put("id", step.id())
        .put("kind", step.kind())
        .put("state", step.state().name().toLowerCase(Locale.ROOT))
        .put("agent", step.agent())
        .put("skill", step.skill())
        .put("attempts", step.attempts())
        .put("started", text(step.started()))
        .put("ended", text(step.ended()))
        .put("output", step.output())
        .put("failure", failure(step.failure()))
        .flag("restored", step.restored())
        .build();
  }

  /** Returns a failure as JSON. */
  static @Nullable Json failure(@Nullable Failure failure) {
    return failure == null
        ? null
        : new JsonObjectBuilder()
            .put("kind", failure.kind().name().toLowerCase(Locale.ROOT))
            .put("message", failure.message())
            .build();
  }

  private static @Nullable String text(@Nullable Object value) {
    return value == null ? null : value.toString();
  }
}

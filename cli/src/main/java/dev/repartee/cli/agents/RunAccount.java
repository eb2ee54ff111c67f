package dev.repartee.cli.agents;

import dev.repartee.agents.Failure;
import dev.repartee.agents.run.RunResult;
import dev.repartee.agents.run.StepReport;
import dev.repartee.json.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The account of a run as JSON. */
final class RunAccount {
  private RunAccount() {}

  static Json json(RunResult result) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("run", result.run());
    put(members, "output", result.output());
    put(members, "failure", failure(result.failure()));
    put(members, "step", result.step());
    members.put("calls", result.calls());
    members.put("started", result.started().toString());
    members.put("ended", result.ended().toString());
    members.put("steps", result.steps().stream().map(RunAccount::step).toList());
    return Json.of(members);
  }

  private static Map<String, Object> step(StepReport step) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("id", step.id());
    members.put("kind", step.kind());
    members.put("state", step.state().name().toLowerCase(Locale.ROOT));
    put(members, "agent", step.agent());
    put(members, "skill", step.skill());
    members.put("attempts", step.attempts());
    put(members, "started", step.started());
    put(members, "ended", step.ended());
    put(members, "output", step.output());
    put(members, "failure", failure(step.failure()));
    if (step.restored()) {
      members.put("restored", true);
    }
    return members;
  }

  static @Nullable Object failure(@Nullable Failure failure) {
    return failure == null
        ? null
        : Json.of(new LinkedHashMap<>(Map.of(
            "kind", failure.kind().name().toLowerCase(Locale.ROOT),
            "message", failure.message())));
  }

  private static void put(Map<String, Object> members, String name, @Nullable Object value) {
    if (value != null) {
      members.put(name, value instanceof Json || value instanceof List ? value : value.toString());
    }
  }
}

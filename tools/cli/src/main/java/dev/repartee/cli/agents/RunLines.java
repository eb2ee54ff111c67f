package dev.repartee.cli.agents;

import dev.repartee.agents.Failure;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.postgres.DurableRun;
import dev.repartee.agents.run.RunResult;
import dev.repartee.agents.run.StepReport;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Formats runs and their steps, for tables, messages and JSON. */
final class RunLines {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

  private RunLines() {}

  /** Returns the state in lower case. */
  static String state(DurableRun run) {
    return run.state().name().toLowerCase(Locale.ROOT);
  }

  /** Returns the name of the plan. */
  static String plan(DurableRun run) {
    Json name = run.plan().get("name");
    return name == null ? "" : name.as(String.class);
  }

  /** Returns the end of a message about an ended run: its failure and the remedy. */
  static String remedy(DurableRun run) {
    Failure failure = run.failure();
    if (failure == null) {
      return " already; 'repartee agents runs " + run.id() + " --json' shows its output";
    }
    return failure.kind() == Failure.Kind.UNKNOWN_OUTCOME
        ? ": " + failure.message() + "; decide with 'repartee agents resolve " + run.id() + "'"
        : ": " + failure.message() + "; start another one";
  }

  /** Returns a time in the zone of this system; empty for null. */
  static String time(@Nullable Instant at) {
    return at == null ? "" : TIME.format(at.atZone(ZoneId.systemDefault()));
  }

  /** Returns the ids of the failed steps of a run that has ended, or of its unfinished steps. */
  static String steps(DurableRun run, Map<String, Journal.Entry> steps) {
    List<String> ids = steps.entrySet().stream()
        .filter(
            step -> run.isEnded() ? isFailed(step.getValue()) : !step.getValue().isFinished())
        .map(Map.Entry::getKey)
        .toList();
    return ids.size() <= 3
        ? String.join(", ", ids)
        : String.join(", ", ids.subList(0, 3)) + " and " + (ids.size() - 3) + " more";
  }

  private static boolean isFailed(Journal.Entry entry) {
    return !entry.isFinished() || entry.failure() != null && entry.output() == null;
  }

  /** Returns the state of a step. */
  static String state(DurableRun run, Journal.Entry entry) {
    Failure failure = entry.failure();
    if (!entry.isFinished()) {
      return run.isEnded() ? "unknown" : state(run);
    } else if (failure == null) {
      return "succeeded";
    }
    return failure.kind() == Failure.Kind.UNKNOWN_OUTCOME ? "unknown" : "failed";
  }

  /** Returns a run as JSON. */
  static Json json(DurableRun run, Map<String, Journal.Entry> steps) {
    return new JsonObjectBuilder()
        .put("run", run.id())
        .put("plan", plan(run))
        .put("state", state(run))
        .put("process", run.owner())
        .put("created", run.created().toString())
        .put("ended", text(run.ended()))
        .put("output", run.output())
        .put("failure", failure(run.failure()))
        .put(
            "steps",
            steps.entrySet().stream()
                .map(step -> json(run, step.getKey(), step.getValue()))
                .toList())
        .build();
  }

  private static Json json(DurableRun run, String id, Journal.Entry entry) {
    return new JsonObjectBuilder()
        .put("id", id)
        .put("state", state(run, entry))
        .put("attempts", entry.attempts())
        .put("started", entry.started().toString())
        .put("ended", text(entry.ended()))
        .put("output", entry.output())
        .put("failure", failure(entry.failure()))
        .build();
  }

  /** Returns the result of a run in this process as JSON. */
  static Json json(RunResult result) {
    return new JsonObjectBuilder()
        .put("run", result.run())
        .put("output", result.output())
        .put("failure", failure(result.failure()))
        .put("step", result.step())
        .put("calls", result.calls())
        .put("started", result.started().toString())
        .put("ended", result.ended().toString())
        .put("steps", result.steps().stream().map(RunLines::step).toList())
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

package dev.repartee.cli.agents;

import dev.repartee.agents.Failure;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.postgres.DurableRun;
import dev.repartee.json.Json;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Formats durable runs and their steps, for tables, messages and JSON. */
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

  /** Returns the rest of a message about a run that has ended: its failure and the remedy. */
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
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("run", run.id());
    members.put("plan", plan(run));
    members.put("state", state(run));
    members.put("process", run.owner());
    members.put("created", run.created().toString());
    members.put("ended", text(run.ended()));
    members.put("output", run.output());
    members.put("failure", RunAccount.failure(run.failure()));
    members.put(
        "steps",
        steps.entrySet().stream()
            .map(step -> json(run, step.getKey(), step.getValue()))
            .toList());
    members.values().removeIf(Objects::isNull);
    return Json.of(members);
  }

  private static Json json(DurableRun run, String id, Journal.Entry entry) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("id", id);
    members.put("state", state(run, entry));
    members.put("attempts", entry.attempts());
    members.put("started", entry.started().toString());
    members.put("ended", text(entry.ended()));
    members.put("output", entry.output());
    members.put("failure", RunAccount.failure(entry.failure()));
    members.values().removeIf(Objects::isNull);
    return Json.of(members);
  }

  private static @Nullable String text(@Nullable Instant at) {
    return at == null ? null : at.toString();
  }
}

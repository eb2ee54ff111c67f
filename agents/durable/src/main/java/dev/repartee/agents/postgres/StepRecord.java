package dev.repartee.agents.postgres;

import dev.repartee.agents.Failure;
import dev.repartee.agents.durable.Journal;
import dev.repartee.json.Json;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The start of an attempt of a step, or the end of the step, in the form that is stored in the
 * database.
 *
 * @param step the id of the step
 * @param attempts the number of attempts, including this one
 * @param started the start of the first attempt (ISO 8601)
 * @param ended the end of the step (ISO 8601); empty for the start of an attempt
 * @param output the output as JSON text; as a member, a deep value could exceed the nesting limit
 * @param failure the failure
 */
record StepRecord(
    String step,
    int attempts,
    String started,
    Optional<String> ended,
    Optional<String> output,
    Optional<FailureRecord> failure) {

  /** A failure in the form that is stored in the database. */
  record FailureRecord(String kind, String message) {
    static FailureRecord of(Failure failure) {
      return new FailureRecord(failure.kind().name(), failure.message());
    }

    Failure toFailure() {
      for (Failure.Kind known : Failure.Kind.values()) {
        if (known.name().equals(kind)) {
          return new Failure(known, message);
        }
      }
      // A newer release has written a kind that this release does not have.
      return new Failure(Failure.Kind.ERROR, message);
    }
  }

  static StepRecord of(String step, Journal.Entry entry) {
    return new StepRecord(
        step,
        entry.attempts(),
        entry.started().toString(),
        Optional.ofNullable(entry.ended()).map(Instant::toString),
        Optional.ofNullable(entry.output()).map(Json::toString),
        Optional.ofNullable(entry.failure()).map(FailureRecord::of));
  }

  Journal.Entry toEntry() {
    @Nullable Instant end = ended.map(Instant::parse).orElse(null);
    return new Journal.Entry(
        attempts,
        Instant.parse(started),
        end,
        output.map(Json::parse).orElse(null),
        failure.map(FailureRecord::toFailure).orElse(null));
  }

  Json toJson() {
    return Json.of(this);
  }

  /** Returns the last entry of each step, in the order in which the steps began. */
  static Map<String, Journal.Entry> entries(List<Json> records) {
    Map<String, Journal.Entry> entries = new LinkedHashMap<>();
    for (Json json : records) {
      StepRecord record = json.as(StepRecord.class);
      entries.put(record.step(), record.toEntry());
    }
    return entries;
  }
}

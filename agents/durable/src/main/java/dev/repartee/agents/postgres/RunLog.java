package dev.repartee.agents.postgres;

import dev.repartee.agents.Failure;
import dev.repartee.agents.durable.Journal;
import dev.repartee.json.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes the records of a run to its {@link Execution}, and keeps the last entry of each step. */
final class RunLog implements Journal.Log {
  private final Execution execution;
  private final Map<String, Journal.Entry> entries;

  RunLog(Execution execution, List<Json> records) {
    this.execution = execution;
    this.entries = new ConcurrentHashMap<>(StepRecord.entries(records));
  }

  @Override
  public Map<String, Journal.Entry> entries() {
    return Map.copyOf(entries);
  }

  @Override
  public void started(String step, int attempt, Instant at) {
    Journal.Entry known = entries.get(step);
    record(
        step, new Journal.Entry(attempt, known == null ? at : known.started(), null, null, null));
  }

  @Override
  public void finished(String step, Journal.Entry entry) {
    record(step, entry);
  }

  private void record(String step, Journal.Entry entry) {
    execution.append(StepRecord.of(step, entry).toJson()); // first: the entry must be durable
    entries.put(step, entry);
  }

  @Override
  public void whenLost(Consumer<String> action) {
    execution.whenLost(action);
  }

  @Override
  public void ended(@Nullable Json output, @Nullable Failure failure) {
    execution.end(RunOutcome.of(output, failure).toJson());
  }
}

package dev.repartee.agents.durable;

import dev.repartee.agents.Failure;
import dev.repartee.json.Json;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Keeps the logs of the runs that have not ended. */
final class MemoryJournal implements Journal {
  private final Map<String, MemoryLog> runs = new ConcurrentHashMap<>();

  @Override
  public Log open(String run, Json plan, Json input) {
    MemoryLog log = runs.computeIfAbsent(run, MemoryLog::new);
    if (!log.inUse.compareAndSet(false, true)) {
      throw new IllegalStateException(
          "another orchestrator executes the run '" + run + "'; give each run its own id");
    }
    return log;
  }

  private final class MemoryLog implements Log {
    private final String run;
    private final Map<String, Entry> steps = new ConcurrentHashMap<>(8);

    /** True while an orchestrator executes the run, and after its end. */
    private final AtomicBoolean inUse = new AtomicBoolean();

    MemoryLog(String run) {
      this.run = run;
    }

    @Override
    public Map<String, Entry> entries() {
      return Map.copyOf(steps);
    }

    @Override
    public void started(String step, int attempt, Instant at) {
      steps.compute(
          step,
          (id, known) ->
              new Entry(attempt, known == null ? at : known.started(), null, null, null));
    }

    @Override
    public void finished(String step, Entry entry) {
      steps.put(step, entry);
    }

    @Override
    public void interrupted() {
      inUse.set(false);
    }

    @Override
    public void ended(@Nullable Json output, @Nullable Failure failure) {
      runs.remove(run);
    }
  }
}

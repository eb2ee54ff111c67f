package dev.repartee.benchmarks.soak;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The account of the calls or streams of a soak: their starts, ends, and faults. Thread-safe. */
class Account {
  private static final int SAMPLES = 20;

  private final Counts started = new Counts();
  private final Map<String, Counts> ended = new ConcurrentHashMap<>();
  private final LongAdder faults = new LongAdder();

  /** Some of the faults, for analysis. */
  private final Map<String, Boolean> samples = new ConcurrentHashMap<>();

  final void started(Enum<?> kind) {
    started.add(label(kind));
  }

  final void ended(Enum<?> kind, String how) {
    ended.computeIfAbsent(label(kind), key -> new Counts()).add(how);
  }

  final void ended(Enum<?> kind, Enum<?> outcome) {
    ended(kind, label(outcome));
  }

  /** Notes a fault. */
  final void fault(String what) {
    faults.increment();
    if (samples.size() < SAMPLES) {
      samples.put(what, true);
    }
  }

  /** Returns the number of faults. */
  final long faults() {
    return faults.sum();
  }

  /** Returns the number of starts without an end. */
  final long open() {
    return started.sum() - ended.values().stream().mapToLong(Counts::sum).sum();
  }

  final boolean addsUp() {
    return open() == 0 && faults.sum() == 0;
  }

  /** Returns the sums, a line for each kind, and examples of faults. */
  final String table() {
    StringBuilder table = new StringBuilder(String.format(
        Locale.ROOT,
        "%,d started, %,d not ended, %,d faults",
        started.sum(),
        open(),
        faults.sum()));
    new TreeMap<>(ended)
        .forEach((kind, ends) -> table.append(String.format("%n  %-16s%s", kind, ends)));
    samples.keySet().forEach(sample -> table.append("\n! ").append(sample));
    return table.toString();
  }

  private static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}

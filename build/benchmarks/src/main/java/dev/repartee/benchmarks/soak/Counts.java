package dev.repartee.benchmarks.soak;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counters by name. Thread-safe. */
final class Counts {
  private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

  void add(String name) {
    counts.computeIfAbsent(name, key -> new LongAdder()).increment();
  }

  long of(String name) {
    LongAdder count = counts.get(name);
    return count == null ? 0 : count.sum();
  }

  long sum() {
    return counts.values().stream().mapToLong(LongAdder::sum).sum();
  }

  @Override
  public String toString() {
    return new TreeMap<>(counts).toString();
  }
}

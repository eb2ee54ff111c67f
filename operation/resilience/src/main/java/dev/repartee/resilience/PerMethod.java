package dev.repartee.resilience;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** A state for each method of a peer; those above a limit share one. Thread-safe. */
final class PerMethod<S> {
  /** The number of methods with their own state: a bridge calls with the names of its clients. */
  private static final int MOST = 100;

  private final Supplier<S> maker;
  private final Map<String, S> states = new ConcurrentHashMap<>();
  private final S rest;

  PerMethod(Supplier<S> maker) {
    this.maker = maker;
    this.rest = maker.get();
  }

  S of(String method) {
    S present = states.get(method);
    if (present != null) {
      return present;
    }
    synchronized (this) { // for the exact limit
      return states.size() < MOST
          ? states.computeIfAbsent(method, added -> maker.get())
          : states.getOrDefault(method, rest);
    }
  }
}

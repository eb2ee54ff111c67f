package dev.repartee.benchmarks;

import org.jspecify.annotations.Nullable;

/**
 * A contestant in one run.
 *
 * @param build which build of Repartee it is made of: empty where there is only one
 * @param jvm what runs it
 */
record Entrant(Contestant contestant, String build, Jvm jvm) {
  /** How cells name it. */
  String name() {
    return build.isEmpty() ? contestant.name() : contestant.name() + "@" + build;
  }

  /** What it lacks to run here, or null. */
  @Nullable String lacks() {
    return contestant.lacks(jvm.feature());
  }

  /** Whether its client is the one that all raw calls share. */
  boolean isCalledRaw() {
    return contestant.client() instanceof LoadGenerator;
  }
}

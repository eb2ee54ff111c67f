package dev.repartee.benchmarks;

import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.LoadGenerator;
import dev.repartee.benchmarks.process.Jvm;
import org.jspecify.annotations.Nullable;

/**
 * A contestant in one run.
 *
 * @param build the build of Repartee that it uses; empty if there is only one
 * @param jvm the JVM that runs it
 */
record Entrant(Contestant contestant, String build, Jvm jvm) {
  /** Returns its name in cells. */
  String name() {
    return build.isEmpty() ? contestant.name() : contestant.name() + "@" + build;
  }

  /** Returns the missing requirement on this machine, or null. */
  @Nullable String lacks() {
    return contestant.lacks(jvm.feature());
  }

  /** Returns whether its client is the shared load generator. */
  boolean isCalledRaw() {
    return contestant.client() instanceof LoadGenerator;
  }
}

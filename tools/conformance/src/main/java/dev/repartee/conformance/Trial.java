package dev.repartee.conformance;

import java.util.List;

/** A case for servers with its steps, which all use the same connection. */
record Trial(Case tested, List<Step> steps) {
  /** Copies the steps. */
  Trial {
    steps = List.copyOf(steps);
  }
}

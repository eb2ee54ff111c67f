package dev.repartee.conformance;

import java.util.List;

/** A case for servers: what is sent, and what is owed for it; each step on the connection of the one before. */
record Trial(Case tested, List<Step> steps) {
  /** Copies the steps. */
  Trial {
    steps = List.copyOf(steps);
  }
}

package dev.repartee.agents.run;

/** An event of a run. */
public sealed interface RunEvent {
  /** The state of a step has changed. */
  record Changed(StepReport step) implements RunEvent {}

  /** A running step has reported progress. */
  record Progressed(StepReport step) implements RunEvent {}

  /** The run has ended. This is the last event. */
  record Ended(RunResult result) implements RunEvent {}
}

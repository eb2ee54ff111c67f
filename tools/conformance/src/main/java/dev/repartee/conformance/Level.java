package dev.repartee.conformance;

/** The strictness of a case. */
public enum Level {
  /** A requirement of the specification, stated in its text or by an example. */
  MUST,
  /** A recommendation of the specification, or a conclusion where its text is unclear. */
  SHOULD,
  /** A behaviour that the specification leaves open but peers rely on. */
  INTEROP
}

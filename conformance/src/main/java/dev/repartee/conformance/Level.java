package dev.repartee.conformance;

/** How strictly a case is meant. */
public enum Level {
  /** What the specification says with MUST, in its own words or by an example. */
  MUST,
  /** What it advises, or what follows from it where it is less than plain. */
  SHOULD,
  /** What it leaves open and peers rely on all the same. */
  INTEROP
}

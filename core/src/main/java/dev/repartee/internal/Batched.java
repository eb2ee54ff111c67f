package dev.repartee.internal;

/**
 * An attribute of a {@code dev.repartee.Call} that is part of a batch, to be found by this type:
 * the answer leaves with the answers to the other calls, after notifications that are sent
 * meanwhile.
 */
public enum Batched {
  /** The only value. */
  BATCHED
}

package dev.repartee;

import dev.repartee.limits.Limits;

/**
 * The thread that runs a method, and its order relative to the other messages of its connection.
 *
 * <p>In every lane, a message waits until all ordered messages that arrived before it have
 * finished.
 */
public enum Lane {
  /**
   * At once, on the thread that reads the connection. This is the fastest lane, for handlers that
   * never block: while such a handler runs, its thread reads nothing else, not even from other
   * connections. Behind an unfinished ordered message the method runs as {@link #ORDERED}.
   */
  INLINE,
  /** On a worker, one at a time, in order of arrival. All messages that arrive later wait. */
  ORDERED,
  /**
   * On a worker, in parallel with other messages: a virtual thread from Java 21 on, a pooled thread
   * before. A request above {@link Limits#runningCalls} on one connection is answered with -32000.
   */
  CONCURRENT
}

package dev.repartee;

/**
 * Where and when a method runs, relative to the other messages of its connection.
 *
 * <p>Whatever the lane, nothing runs before the ordered messages that arrived earlier have finished.
 */
public enum Lane {
  /**
   * On the thread that reads the connection, at once. The fast path, for handlers that never block:
   * while one runs, nothing else is read, not even from other connections.
   */
  INLINE,
  /** On a worker, one at a time, in order of arrival. What arrived later waits. */
  ORDERED,
  /**
   * On a worker of its own, beside everything else that runs: a virtual thread from Java 21 on, a
   * pooled one below. Past {@link Limits#runningCalls} on one connection a request is answered -32000.
   */
  CONCURRENT
}

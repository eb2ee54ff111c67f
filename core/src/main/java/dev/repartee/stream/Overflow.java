package dev.repartee.stream;

/** The treatment of items that arrive faster than they can be passed on. */
public enum Overflow {
  /**
   * The source waits: it is asked for no more items than can be passed on. The receiver of a
   * {@linkplain Streaming#subscription subscription} or of {@linkplain Streaming#partialResults
   * partial results} cannot make the other side wait; there this means {@link #CLOSE}.
   */
  WAIT,

  /** The oldest item in the buffer is dropped. The source never waits. */
  DROP_OLDEST,

  /**
   * The stream ends with an error: at the serving side with -32005, at the receiving side with
   * {@link LaggedException}. The source never waits.
   */
  CLOSE
}

package dev.repartee.stream;

import dev.repartee.ReparteeException;

/**
 * Reports that a stream has ended because its receiver was too slow: the buffer was full under
 * {@link Overflow#CLOSE}.
 */
public final class LaggedException extends ReparteeException {
  private static final long serialVersionUID = 1;

  private final int buffer;

  /**
   * Creates an exception.
   *
   * @param what the stream, as the first words of the message
   * @param buffer the size of the buffer in items
   */
  public LaggedException(String what, int buffer) {
    super(what + ": more than " + buffer
        + " items wait; receive faster, or choose a larger buffer or another Overflow");
    this.buffer = buffer;
  }

  /** Returns the size of the buffer in items. */
  public int buffer() {
    return buffer;
  }
}

package dev.repartee;

/**
 * One connection's framing: finds the frames in what arrives, and puts the marks around what leaves.
 *
 * <p>Reading and writing may happen on different threads, but each on one at a time.
 */
public interface Frames {
  /**
   * Delivers the whole frames in {@code b[from, to)}, stopping early where the receiver is no longer
   * {@linkplain Receiver#ready() ready} or {@link #ended()} turns true.
   *
   * @return the index of the first byte that was not consumed. The caller keeps the bytes from there
   *     on and presents them again, at any index of any array, with what arrives next behind them;
   *     the implementation remembers how far it has looked, so that no byte is looked at twice.
   *     Input too large for a frame is consumed as it comes, so what is kept never passes {@link
   *     Limits#frameBytes} by more than the marks of one frame.
   */
  int read(byte[] b, int from, int to, Receiver receiver);

  /**
   * The stream has ended: {@code b[from, to)} is what was never consumed. Delivers a last message
   * whose end mark is missing where the message itself is whole, and otherwise reports what was cut
   * off as a fault.
   */
  void end(byte[] b, int from, int to, Receiver receiver);

  /** Whether a fault or text that was not JSON left no way to find the next message. */
  boolean ended();

  /** Starts a frame at the end of {@code out}: writes what stands before a message. */
  void begin(Output out);

  /** Ends the frame that was begun at {@code start} bytes of {@code out}. */
  void finish(Output out, int start);

  /** The framing in use: for {@link Framing#AUTO}, what the first bytes showed, if they did. */
  Framing framing();
}

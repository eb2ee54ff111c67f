package dev.repartee.framing;

import dev.repartee.json.JsonWriter;
import dev.repartee.limits.Limits;

/**
 * The framing state of one connection: finds the frames in the input, and writes the prefix and
 * suffix of outgoing frames.
 *
 * <p>One thread at a time reads, and one thread at a time writes; these two may be different
 * threads.
 */
public interface Frames {
  /**
   * Delivers the complete frames in {@code b[from, to)}. Stops early if the receiver is no longer
   * {@linkplain Receiver#ready() ready} or {@link #ended()} becomes true.
   *
   * @return the index of the first byte that was not consumed. The caller keeps the bytes from
   *     there on and passes them again, at any index of any array, followed by the next input. The
   *     implementation remembers how many of them it has searched, so that it searches no byte
   *     twice. A frame that is too large is consumed while it arrives. The caller never keeps more
   *     than {@link Limits#frameBytes} and the prefix and suffix of one frame
   */
  int read(byte[] b, int from, int to, Receiver receiver);

  /**
   * Handles the end of the stream; {@code b[from, to)} are the bytes that were not consumed.
   * Delivers a last message that is complete except for its end mark. Reports an incomplete message
   * as a fault.
   */
  void end(byte[] b, int from, int to, Receiver receiver);

  /** Returns whether no further message can be found, after a fault or text that was not JSON. */
  boolean ended();

  /** Starts a frame at the end of {@code out}: writes the bytes before the message, if any. */
  void begin(JsonWriter out);

  /**
   * Completes a frame: writes the bytes after the message and its length, if the framing has
   * these.
   *
   * @param start the size of {@code out} when the frame was {@linkplain #begin begun}
   */
  void finish(JsonWriter out, int start);

  /**
   * Returns the framing state to use from now on: this object, or the framing that it has detected
   * from the input. A channel asks between two reads, but not while a frame is begun and not
   * finished.
   */
  default Frames successor() {
    return this;
  }

  /**
   * Returns the framing in use. For {@link Framing#AUTO}, returns the framing that was chosen by
   * the first bytes of the peer, or {@code AUTO} before that.
   */
  Framing framing();
}

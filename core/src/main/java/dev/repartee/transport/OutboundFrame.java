package dev.repartee.transport;

import dev.repartee.json.JsonWriter;
import dev.repartee.limits.LimitException;
import java.util.OptionalInt;

/**
 * An outgoing frame: its text, and whether it is an answer. {@link FrameSink#open} creates it,
 * {@link FrameSink#commit} sends it.
 *
 * <p>One thread builds a frame. After the commit it belongs to the channel.
 */
public final class OutboundFrame extends JsonWriter {
  /** The index at which the text of this frame starts. Earlier bytes belong to earlier frames. */
  private int start;

  /** The index at which its message starts, after the marks of the framing. */
  private int textStart;

  private boolean initiated;
  private boolean hasError;
  private int errorCode;

  /**
   * Creates an empty frame.
   *
   * @param limit the maximum size of the text in bytes; writing more throws {@link LimitException}
   */
  public OutboundFrame(int limit) {
    limit(limit);
  }

  /**
   * Creates an empty frame with room for {@code capacity} bytes; see {@link #OutboundFrame(int)}.
   */
  public OutboundFrame(int limit, int capacity) {
    super(capacity);
    limit(limit);
  }

  /** Creates a buffer for a sequence of frames, each of which begins with {@link #next}. */
  static OutboundFrame sequence(int capacity) {
    return new OutboundFrame(Integer.MAX_VALUE, capacity);
  }

  /** Starts the next frame of a sequence after the text of the earlier frames. */
  void next() {
    start = size();
    initiated = false;
    hasError = false;
  }

  /** Starts the message of the current frame of a sequence, after the marks of the framing. */
  void beginText(int limit) {
    textStart = size();
    limit(limit);
  }

  /** Returns the index at which the text of the current frame of a sequence starts. */
  int start() {
    return start;
  }

  /**
   * Returns the index in {@link #array()} at which the message of this frame starts; it ends at
   * {@link #size()}.
   */
  public int textStart() {
    return textStart;
  }

  /**
   * Returns whether this frame is a call or a notification rather than an answer. Its sender waits
   * while the write queue is full. Only answers, whose senders never wait, make a channel stop
   * reading: if calls did so too, two peers that call each other could both stop, each with the
   * other's answers unread.
   */
  public boolean isInitiated() {
    return initiated;
  }

  /**
   * Marks this frame as a call or a notification. Its sender has to wait for {@linkplain
   * Channel#awaitRoom room} before it commits the frame.
   */
  public OutboundFrame initiate() {
    initiated = true;
    return this;
  }

  /**
   * Marks this frame as a single error response with this code.
   *
   * @see #errorCode()
   */
  public void error(int code) {
    hasError = true;
    errorCode = code;
  }

  /**
   * Returns the code of the error in this frame if it is a single error response; empty for a
   * result, a batch, a call or a notification. For transports that also report errors outside of
   * the frame, such as by an HTTP status.
   */
  public OptionalInt errorCode() {
    return hasError ? OptionalInt.of(errorCode) : OptionalInt.empty();
  }
}

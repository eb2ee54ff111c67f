package dev.repartee.transport;

import dev.repartee.json.JsonWriter;
import dev.repartee.limits.LimitException;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An outgoing frame: its text, and the facts about it that a channel needs to send it. {@link
 * FrameSink#open} creates it, {@link FrameSink#commit} sends it.
 *
 * <p>One thread builds a frame. After the commit it belongs to the channel; only the methods that
 * say so are thread-safe.
 */
public final class OutboundFrame extends JsonWriter {
  /** The index at which the text of this frame starts. Earlier bytes belong to earlier frames. */
  private int start;

  /** The index at which its message starts, behind the marks of the framing. */
  private int textStart;

  private boolean initiated;
  private @Nullable Calls calls;
  private @Nullable Consumer<RuntimeException> sender;
  private boolean hasError;
  private int errorCode;

  /** The calls in an outgoing frame. Thread-safe. */
  public interface Calls {
    /** Returns whether one of the calls still waits for its answer. */
    boolean isAwaited();

    /** Returns whether there are calls, and all of them were answered. */
    boolean isAnswered();

    /** Returns whether the frame contains nothing but calls, and all of them were given up. */
    boolean isGivenUp();

    /** Fails the calls that still wait for their answers. */
    void fail(RuntimeException cause);

    /** Returns whether all streams among the calls take more items. */
    default boolean takesItems() {
      return true;
    }

    /**
     * Returns whether all these calls are declared idempotent, so that they may run twice, and the
     * frame contains nothing else.
     */
    default boolean isIdempotent() {
      return false;
    }

    /**
     * Returns the time in nanoseconds until the last of these calls times out; at most 0 if it has,
     * {@link Long#MAX_VALUE} if one of them has no time limit.
     */
    default long timeLeft() {
      return Long.MAX_VALUE;
    }
  }

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

  /** Starts the next frame of a sequence behind the text of the earlier frames. */
  void next() {
    start = size();
    initiated = false;
    calls = null;
    sender = null;
    hasError = false;
  }

  /** Starts the message of the current frame of a sequence, behind the marks of the framing. */
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
   * Marks this frame as {@link #initiate()} does, and sets a receiver for the reason if the peer
   * does not accept the frame although the channel continues. Only some transports, such as HTTP,
   * can report this.
   *
   * @param sender is called on a thread that must not block
   */
  public OutboundFrame initiate(Consumer<RuntimeException> sender) {
    this.sender = sender;
    return initiate();
  }

  /** Marks this frame as {@link #initiate()} does, and sets the calls that it contains. */
  public OutboundFrame initiate(@Nullable Calls calls) {
    this.calls = calls;
    return initiate();
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

  /**
   * Returns whether one of the calls in this frame still waits for its answer, or its sender wants
   * a report if the peer does not accept the frame. For transports on which the answer comes back
   * in the exchange of its own request, such as HTTP. Thread-safe.
   */
  public boolean isAwaited() {
    return sender != null || calls != null && calls.isAwaited();
  }

  /**
   * Returns whether this frame contains calls, and all of them were answered. A call that was given
   * up or has failed was not answered. Thread-safe.
   */
  public boolean isAnswered() {
    return calls != null && calls.isAnswered();
  }

  /**
   * Returns whether this frame contains nothing but calls, and all of them were given up. A
   * transport that has not begun to send such a frame drops it, so that the peer does not run these
   * calls. Thread-safe.
   */
  public boolean isGivenUp() {
    return sender == null && calls != null && calls.isGivenUp();
  }

  /**
   * Returns whether the streams that the calls of this frame have opened take more items. For
   * transports that are not {@linkplain Channel#isDuplex duplex}: while this returns false, they
   * read no further message in answer to this frame; {@link Channel#resume} tells when to ask
   * again. Thread-safe.
   */
  public boolean takesItems() {
    return calls == null || calls.takesItems();
  }

  /**
   * Returns a frame with the same calls and without the text: for a transport that has sent the
   * frame and still has to tell whether its calls wait, so that the text takes no memory.
   */
  public OutboundFrame withoutText() {
    OutboundFrame small = new OutboundFrame(1, 1);
    small.initiated = initiated;
    small.calls = calls;
    small.sender = sender;
    return small;
  }

  /** Returns whether this frame contains calls, whose answers come later. Thread-safe. */
  public boolean hasCalls() {
    return calls != null && (calls.isAwaited() || calls.isAnswered() || calls.isGivenUp());
  }

  /**
   * Returns whether this frame contains nothing but calls that are declared idempotent ({@link
   * dev.repartee.Rpc#idempotent}). A transport may send such a frame again if it cannot know
   * whether the peer has handled it. Thread-safe.
   */
  public boolean isIdempotent() {
    return calls != null && calls.isIdempotent();
  }

  /**
   * Returns the time in nanoseconds until all calls of this frame have timed out; at most 0 if they
   * have, {@link Long#MAX_VALUE} if there is no time limit. For transports that can drop a message
   * with an expiry. Thread-safe.
   */
  public long timeLeft() {
    return calls == null ? Long.MAX_VALUE : calls.timeLeft();
  }

  /**
   * Reports to the sender of this frame that the peer did not accept it, and fails its calls as
   * {@link #unanswered} does. Thread-safe.
   */
  public void refused(RuntimeException cause) {
    if (sender != null) {
      sender.accept(cause);
    }
    unanswered(cause);
  }

  /**
   * Fails the calls in this frame that still wait for their answers. For transports that know that
   * no answer will arrive although the channel continues. Does nothing for other frames.
   * Thread-safe.
   */
  public void unanswered(RuntimeException cause) {
    if (calls != null) {
      calls.fail(cause);
    }
  }
}

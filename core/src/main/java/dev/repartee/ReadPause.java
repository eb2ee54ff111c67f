package dev.repartee;

import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.transport.FrameSink;
import java.util.function.BooleanSupplier;

/**
 * Whether the reader of one connection may run an inline method, and whether it has to pause: while
 * the queue of messages is full, or while the write queue has no room for answers. A part of the
 * {@link Scheduler}.
 */
final class ReadPause {
  // Implementation note.
  //
  // Reading has to continue without room for answers while an outgoing call waits for its answer.
  // If it stopped, two peers that call each other would both stop reading, each with the answers of
  // the other unread.
  //
  // Locks. The lock of the Scheduler guards paused, heldBack and queuedBytes. They are volatile:
  // written under the lock (heldBack and queuedBytes by publish() only), read without it. noRoom
  // and withoutRoom are used by the reader only.

  private final Limits limits;
  private final MessageQueue queue;
  private final FrameSink sink;

  /** Whether reading is paused because the queue or the write queue is full. */
  private volatile boolean paused;

  /**
   * The number of waiting messages, plus one if an ordered message runs: while it is 0 the reader
   * may run inline methods.
   */
  private volatile int heldBack;

  /** The size of the waiting messages in bytes. */
  private volatile long queuedBytes;

  /**
   * Whether the write queue had no room for answers before the current frame. It keeps the reader
   * from running inline methods, at no cost for each of them.
   */
  private boolean noRoom;

  /**
   * An upper bound of the size in bytes of the answers that the engine gives without a handler,
   * such as errors, to messages that arrived while the write queue had no room.
   */
  private long withoutRoom;

  ReadPause(Limits limits, MessageQueue queue, FrameSink sink) {
    this.limits = limits;
    this.queue = queue;
    this.sink = sink;
  }

  /** Makes the state of the queue visible to the reader. Needs the lock. */
  void publish() {
    queuedBytes = queue.bytes();
    heldBack = queue.heldBack();
  }

  /** Returns whether an earlier message has to finish before the next one may run. */
  boolean isHeldBack() {
    return heldBack != 0;
  }

  /**
   * Returns whether no earlier message has to finish first, and there is room for an answer. For
   * the reader.
   */
  boolean isClear() {
    return heldBack == 0 && !noRoom;
  }

  /** Returns whether there is room for an answer. For the reader. */
  boolean hasRoom() {
    return !noRoom;
  }

  /**
   * Counts a message that may be answered without a handler. For the reader.
   *
   * @param repeated the number of its bytes that the answer repeats
   */
  void countAnswer(int repeated) {
    if (noRoom) {
      withoutRoom += MessageQueue.WEIGHT + repeated;
    }
  }

  /** Asks the sink whether it has room for answers. For the reader, before each frame. */
  void lookForRoom() {
    noRoom = !sink.takesAnswers();
    if (!noRoom) {
      withoutRoom = 0;
    }
  }

  /**
   * Returns whether reading may have to pause: {@link #pauseUnlessAwaiting} decides it. For the
   * reader.
   */
  boolean isDue() {
    return noRoom || heldBack >= limits.queuedMessages() || queuedBytes >= limits.queuedBytes();
  }

  /**
   * Pauses reading if there is no room, unless an outgoing call waits for its answer. Even then it
   * pauses if the answers that no handler produces reach {@link Limits#queuedBytes}. Needs the
   * lock; for the reader.
   *
   * @return whether reading is paused
   * @throws LimitException if such a call waits and the queue has reached twice its limit
   */
  boolean pauseUnlessAwaiting(BooleanSupplier awaitsAnswers) {
    if (!noRoom && queue.overflow(1) == null) {
      return false;
    }
    // Before awaitsAnswers is asked, so that readOn(), called for a call that starts now, sees it.
    paused = true;
    if (withoutRoom >= limits.queuedBytes() || !awaitsAnswers.getAsBoolean()) {
      return true;
    }
    paused = false;
    LimitException tooMuch = queue.overflow(2);
    if (tooMuch != null) {
      throw tooMuch;
    }
    return false;
  }

  boolean isPaused() {
    return paused;
  }

  /**
   * Returns whether a pause is over: the queue has fallen to half of its limits, and the write
   * queue has room. If it has none, the channel resumes reading when it has. Needs the lock.
   */
  boolean isOver() {
    return paused && queue.isHalfEmpty() && sink.takesAnswers();
  }

  /** Ends the pause; returns whether there was one. Needs the lock. */
  boolean end() {
    boolean ended = paused;
    paused = false;
    return ended;
  }
}

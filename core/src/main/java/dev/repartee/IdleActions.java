package dev.repartee;

/**
 * The actions that wait until nothing runs on one connection, for example to end it. A part of the
 * {@link Scheduler}.
 */
final class IdleActions {
  // Implementation note.
  //
  // The connection is not idle while reading or expiring is set. reading: the reader is inside a
  // frame and may run an inline handler, which CallCounts does not count. expiring: the sweeper
  // answers timed-out calls. Their handlers still run, and may finish in this time.
  //
  // Locks. The lock of the Scheduler guards expiring, and actions, which is volatile: written under
  // the lock, read without it. burst is used by the reader only; reading is written by the reader
  // only, without the lock.

  static final Runnable NONE = () -> {};

  /** The actions that wait; {@link #NONE} if there are none. */
  private volatile Runnable actions = NONE;

  /** Whether the reader is inside a frame or a burst, and so may be running an inline handler. */
  private volatile boolean reading;

  /** Whether the reader is inside a burst. */
  private boolean burst;

  /** Whether the sweeper is answering timed-out calls. */
  private boolean expiring;

  /** Begins a frame. For the reader. */
  void beginFrame() {
    if (!burst) {
      reading = true;
    }
  }

  /** Begins a burst of frames: {@code reading} is written once instead of twice for each frame. */
  void beginBurst() {
    burst = true;
    reading = true;
  }

  /** Returns whether the reader is inside a burst. For the reader. */
  boolean isInBurst() {
    return burst;
  }

  /** Ends the frame, or the burst; returns whether actions wait. For the reader. */
  boolean endReading() {
    burst = false;
    reading = false;
    return actions != NONE;
  }

  /** Sets whether the sweeper is answering timed-out calls. Needs the lock. */
  void setExpiring(boolean expiring) {
    this.expiring = expiring;
  }

  /** Adds an action, which must throw nothing, behind the waiting actions. Needs the lock. */
  void add(Runnable action) {
    Runnable earlier = actions;
    actions = earlier == NONE
        ? action
        : () -> {
          earlier.run();
          action.run();
        };
  }

  /**
   * Removes and returns the actions; {@link #NONE} if there are none or they have to wait. Needs
   * the lock.
   */
  Runnable take() {
    if (reading || expiring) {
      return NONE;
    }
    Runnable taken = actions;
    actions = NONE;
    return taken;
  }
}

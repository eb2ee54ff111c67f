package dev.repartee;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler of one connection: decides when each inbound message runs.
 *
 * <pre>
 *   admit --> waiting --> running --> finished
 *     |          |            ^
 *     |          +--> dropped |
 *     +-----------------------+
 * </pre>
 *
 * Messages are started in order of arrival. An ordered message holds back all messages behind it
 * until it has finished. Concurrent messages run in parallel, up to {@link Limits#runningCalls},
 * and hold back nothing. The thread that finishes a message starts the messages that it held back.
 */
final class Scheduler implements Sweeper.Owner {
  // Implementation note.
  //
  // States. admit() makes a message wait or run; admitInline() makes it run. A waiting message is
  // linked by Exchange.next, so nothing is allocated when a message starts to wait. startWaiting()
  // moves messages from the head of the queue to running, as many as startable() permits. A message
  // that is cancelled or timed out while it waits is only marked (Exchange.dropped); startWaiting()
  // removes it at the head of the queue without running it. leave() ends a running message;
  // Exchange.finished makes it take effect once, because a stage of user code may report its end
  // twice.
  //
  // Invariants, under the lock:
  //   - InFlight contains the waiting and the running messages. held is the sum of their weights.
  //   - ordered is true exactly while a message with holdsLane runs.
  //   - running counts the messages that were started and have not finished, also those that a
  //     worker has not begun yet.
  //
  // Locks. This object guards all fields but the following:
  //   - burst is used by the reader only.
  //   - reading is written by the reader only, without the lock.
  //   - heldBack, waitingBytes, paused and whenIdle are volatile: written under the lock (heldBack
  //     and waitingBytes by publish() only), read without it.
  // The fields of Exchange in its section of this class are guarded by this lock too. Handlers,
  // answers and user code run outside of the lock. Order of locks: this object, then nothing of the
  // same connection but the Caller's table, which isFull() asks for its size.
  //
  // Each step under the lock that changes the queue or "ordered" calls publish() once, at its end.
  // Writing heldBack in the middle of a step was tried: for a moment a message was neither waiting
  // nor running, so the reader ran an inline request before a notification that had arrived
  // earlier.
  //
  // reading protects the end of the connection: while the reader is inside a frame the connection
  // is not idle, because an inline handler may run that "running" does not count. expiring does the
  // same while the sweeper answers calls in place of their handlers, which may finish meanwhile.

  /** The memory in bytes that an exchange takes besides its message, which may be very small. */
  private static final int WEIGHT = 256;

  private final Limits limits;
  private final Executor workers;
  private final FrameSink outlet;
  private final Runnable resume;
  private final InFlight inFlight = new InFlight();
  private final MemoryBudget.Share share;

  // The queue of waiting messages, linked by Exchange.next.
  private @Nullable Exchange firstWaiting;
  private @Nullable Exchange lastWaiting;
  private int waiting;

  /** The size of the waiting messages in bytes. */
  private long queued;

  private int running;

  /** The memory in bytes that all waiting and running messages take. */
  private long held;

  private @Nullable WorkQueue relay;

  /** Whether a message runs that holds back all later ones. */
  private boolean ordered;

  /** Whether reading is paused because the queue is full. */
  private volatile boolean paused;

  /**
   * Whether the sweeper is answering timed-out calls, whose handlers may have finished meanwhile.
   */
  private boolean expiring;

  /** A lower bound of the times at which messages in flight are due, by {@link Sweeper#now}. */
  private long due = Sweeper.NEVER;

  private volatile @Nullable Runnable whenIdle;

  /** Whether the reader is inside a frame or a burst, and so may be running an inline handler. */
  private volatile boolean reading;

  /** Whether the reader is inside a burst. */
  private boolean burst;

  /**
   * The number of waiting messages, plus one if an ordered message runs: while it is 0 the reader
   * may run inline methods.
   */
  private volatile int heldBack;

  /** The size of the waiting messages in bytes, for the reader. */
  private volatile long waitingBytes;

  /**
   * @param free the number of bytes in flight that are not charged to {@link MemoryBudget}
   * @param resume runs when the queue has room again after {@link #isFull} returned true
   */
  Scheduler(Limits limits, int free, Executor workers, FrameSink outlet, Runnable resume) {
    this.limits = limits;
    this.share = MemoryBudget.ofProcess().share(free);
    this.workers = workers;
    this.outlet = outlet;
    this.resume = resume;
  }

  /** Returns whether no earlier message has to finish first. For the reader. */
  boolean isClear() {
    return heldBack == 0;
  }

  /**
   * Admits the next message, which a worker runs, at once or later.
   *
   * @return null if the message was admitted, otherwise the limit that it would exceed
   */
  @Nullable LimitException admit(Exchange x) {
    synchronized (this) {
      LimitException refusal = refusal(x);
      if (refusal != null) {
        return refusal;
      }
      enter(x);
      if (waiting > 0 || !startable(x)) {
        enqueue(x);
        publish();
        return null;
      }
      start(x);
      publish();
    }
    hand(x);
    return null;
  }

  private void enqueue(Exchange x) {
    Exchange last = lastWaiting;
    if (last == null) {
      firstWaiting = x;
    } else {
      last.next = x;
    }
    lastWaiting = x;
    waiting++;
    queued += x.bytes.length;
  }

  private void dequeue(Exchange first) {
    firstWaiting = first.next;
    if (firstWaiting == null) {
      lastWaiting = null;
    }
    first.next = null;
    waiting--;
    queued -= first.bytes.length;
  }

  /**
   * Admits a message that the reader runs, and that may still be in flight after the handler
   * returns.
   */
  synchronized @Nullable LimitException admitInline(Exchange x) {
    LimitException refusal = refusal(x);
    if (refusal == null) {
      enter(x);
      running++;
      x.started = true;
    }
    return refusal;
  }

  /**
   * Returns the limit that the message would exceed, or null after its memory was reserved. Only
   * single requests are refused for {@code runningCalls} or a full queue. Notifications, which
   * cannot be answered, and elements of a batch wait, and a full queue pauses reading. If the
   * memory budget is exhausted, a notification is refused, which ends the connection. A batch was
   * checked as a whole by {@link #refusal(int)}, before any of its elements ran.
   */
  private @Nullable LimitException refusal(Exchange x) {
    if (!x.isNotification() && !x.isInBatch()) {
      LimitException refusal = running >= limits.runningCalls()
          ? new LimitException("runningCalls", limits.runningCalls())
          : overflow(1);
      if (refusal != null) {
        return refusal;
      }
    }
    return x.isInBatch() || share.hold(held + weight(x)) ? null : share.refusal();
  }

  private void enter(Exchange x) {
    inFlight.add(x);
    held += weight(x);
    share.holdAnyway(held);
    watch(x);
  }

  private void drop(Exchange x) {
    if (inFlight.remove(x)) {
      held -= weight(x);
      share.holdAnyway(held);
    }
  }

  private static int weight(Exchange x) {
    return x.bytes.length + WEIGHT;
  }

  /** Returns the memory limit that a frame of this size would exceed, or null. Reserves nothing. */
  synchronized @Nullable LimitException refusal(int bytes) {
    return share.hasRoomFor(held + bytes) ? null : share.refusal();
  }

  /** Returns the limit that the queue has reached, taken {@code times} as large, or null. */
  private @Nullable LimitException overflow(int times) {
    if (waiting >= (long) limits.queuedMessages() * times) {
      return new LimitException("queuedMessages", limits.queuedMessages());
    }
    if (queued >= (long) limits.queuedBytes() * times) {
      return new LimitException("queuedBytes", limits.queuedBytes());
    }
    return null;
  }

  private boolean startable(Exchange x) {
    return !ordered && (x.lane != Lane.CONCURRENT || running < limits.runningCalls());
  }

  private void start(Exchange x) {
    x.started = true;
    running++;
    x.holdsLane = x.lane != Lane.CONCURRENT;
    ordered |= x.holdsLane;
  }

  /** Ends a step under the lock: makes its result visible to the reader. */
  private void publish() {
    waitingBytes = queued;
    heldBack = waiting + (ordered ? 1 : 0);
  }

  /**
   * Hands started messages, linked by {@link Exchange#next}, to a worker that is not the caller.
   */
  private void hand(@Nullable Exchange started) {
    if (started != null) {
      pass(started);
      relay().standBy();
    }
  }

  /**
   * Adds started messages to the queue of the workers. If there is no memory to queue a message, it
   * fails at once, and the messages that it held back are added next.
   */
  private void pass(@Nullable Exchange started) {
    Exchange x = started;
    while (x != null) {
      Exchange rest = x.next;
      x.next = null;
      try {
        relay().add(x);
      } catch (Throwable e) {
        x.fail(e);
        rest = join(leave(x), rest);
      }
      x = rest;
    }
  }

  private static @Nullable Exchange join(@Nullable Exchange one, @Nullable Exchange other) {
    if (one == null) {
      return other;
    }
    Exchange last = one;
    for (Exchange x = last.next; x != null; x = last.next) {
      last = x;
    }
    last.next = other;
    return one;
  }

  private synchronized WorkQueue relay() {
    WorkQueue known = relay;
    if (known == null) {
      known = new WorkQueue(workers, outlet, this);
      relay = known;
    }
    return known;
  }

  /** Returns whether so many messages run that more answers are expected within a moment. */
  synchronized boolean isCrowded() {
    return running >= FramedChannel.PIECE;
  }

  /** Fails all messages that were started, because no worker thread could be started for them. */
  void deserted(Throwable cause) {
    WorkQueue relay = relay();
    for (Exchange x = relay.take(); x != null; x = relay.take()) {
      x.fail(cause);
      pass(leave(x));
    }
  }

  /** Ends a message on a worker, which goes on with the messages that this starts. */
  void finished(Exchange x) {
    pass(leave(x));
  }

  /** Ends a message on a thread that must not run other handlers, and hands those to a worker. */
  void finishedStage(Exchange x) {
    hand(leave(x));
  }

  /**
   * Ends a message and returns the messages that this starts, linked by {@link Exchange#next}. Does
   * nothing when called again: a stage of user code may report its end more than once.
   */
  private @Nullable Exchange leave(Exchange x) {
    Exchange next;
    Runnable idle;
    boolean roomAgain = false;
    synchronized (this) {
      if (x.finished) {
        return null;
      }
      x.finished = true;
      drop(x);
      running--;
      ordered &= !x.holdsLane;
      next = startWaiting();
      publish();
      if (paused && waiting <= limits.queuedMessages() / 2 && queued <= limits.queuedBytes() / 2) {
        paused = false;
        roomAgain = true;
      }
      idle = takeIdle();
    }
    if (roomAgain) {
      conclude(resume);
    }
    if (idle != null) {
      conclude(idle);
    }
    return next;
  }

  /**
   * Runs a step that must not be lost. If it fails the connection would hang, so the connection
   * ends.
   */
  private void conclude(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      outlet.abort(e);
    }
  }

  /**
   * Returns and clears the idle action if the connection is idle, otherwise null. Needs the lock.
   */
  private @Nullable Runnable takeIdle() {
    if (running > 0 || waiting > 0 || reading || expiring) {
      return null;
    }
    Runnable idle = whenIdle;
    whenIdle = null;
    return idle;
  }

  /** Starts the waiting messages that may run now, and returns them linked. Needs the lock. */
  private @Nullable Exchange startWaiting() {
    Exchange first = null;
    Exchange last = null;
    for (Exchange x = firstWaiting; x != null; x = firstWaiting) {
      if (!x.dropped && !startable(x)) {
        break;
      }
      dequeue(x);
      if (x.dropped) {
        drop(x);
      } else {
        start(x);
        if (last == null) {
          first = x;
        } else {
          last.next = x;
        }
        last = x;
      }
    }
    return first;
  }

  // ---------------------------------------------------------------- bounds

  /**
   * Returns whether reading has to pause because the queue is full. Returns false while an outgoing
   * call waits for its answer, which has to be read: otherwise a handler that calls back over its
   * connection would wait for ever.
   *
   * @throws LimitException if such a call waits and the queue has reached twice its limit
   */
  boolean isFull(BooleanSupplier awaitsAnswers) {
    if (heldBack < limits.queuedMessages() && waitingBytes < limits.queuedBytes()) {
      return false;
    }
    synchronized (this) {
      if (overflow(1) == null) {
        return false;
      }
      // Before awaitsAnswers is asked, so that readOn(), called for a call that starts now, sees
      // it.
      paused = true;
      if (!awaitsAnswers.getAsBoolean()) {
        return true;
      }
      paused = false;
      LimitException tooMuch = overflow(2);
      if (tooMuch != null) {
        throw tooMuch;
      }
      return false;
    }
  }

  /**
   * Resumes paused reading, because an outgoing call is about to be sent. It must be among the
   * pending calls already, so that {@link #isFull} does not pause again.
   */
  void readOn() {
    if (!paused) {
      return;
    }
    synchronized (this) {
      if (!paused) {
        return;
      }
      paused = false;
    }
    resume.run();
  }

  // ---------------------------------------------------------------- ending early

  /** Cancels the call with this id, if there is one. */
  void cancel(Id id) {
    Exchange x;
    Exchange next = null;
    boolean queued;
    synchronized (this) {
      x = inFlight.find(id.json().array());
      if (x == null) {
        return;
      }
      queued = !x.started;
      if (queued) {
        x.dropped = true;
        next = startWaiting(); // the messages that only this one held back
        publish();
      }
    }
    x.cancel(queued);
    hand(next);
  }

  /** Cancels all running messages without an answer, and drops all waiting messages. */
  void abandon() {
    List<Exchange> all;
    Runnable idle;
    synchronized (this) {
      all = new ArrayList<>(inFlight.size()); // before anything changes: there may be no memory
      inFlight.forEach(all::add);
      for (Exchange x = firstWaiting; x != null; x = firstWaiting) {
        dequeue(x);
        drop(x);
      }
      share.holdAnyway(held); // also after an admission that failed halfway
      publish();
      due = Sweeper.NEVER;
      idle = takeIdle();
    }
    Sweeper.forget(this);
    all.forEach(Exchange::abandon);
    if (idle != null) {
      conclude(idle);
    }
  }

  /** Cancels all requests, because the peer no longer reads answers. Notifications continue. */
  void abandonRequests() {
    List<Exchange> requests;
    Exchange next;
    synchronized (this) {
      requests =
          new ArrayList<>(inFlight.size()); // before anything changes: there may be no memory
      inFlight.forEach(x -> {
        if (!x.isNotification()) {
          x.dropped |= !x.started;
          requests.add(x);
        }
      });
      next = startWaiting(); // the messages that only these held back
      publish();
    }
    requests.forEach(Exchange::abandon);
    hand(next);
  }

  /** Stops watching time-outs, because nothing runs and no more messages will arrive. */
  void rest() {
    Sweeper.forget(this);
  }

  private void watch(Exchange x) {
    if (x.due() < due) {
      due = x.due();
      Sweeper.watch(this, due);
    }
  }

  @Override
  public synchronized long due() {
    return due;
  }

  @Override
  public long sweep(long now) {
    List<Exchange> expired = new ArrayList<>();
    Exchange started = null;
    long next;
    synchronized (this) {
      due = Sweeper.NEVER;
      inFlight.forEach(x -> {
        if (x.due() > now) {
          due = Math.min(due, x.due());
        } else if (!x.dropped) {
          expired.add(x); // first, since it may fail: a dropped message must be answered
          x.dropped = !x.started;
        }
      });
      next = due;
      expiring = !expired.isEmpty();
      if (expiring) {
        started = startWaiting(); // the messages that only these held back
        publish();
      }
    }
    if (!expired.isEmpty()) {
      for (Exchange x : expired) {
        x.expire();
      }
      hand(started);
      synchronized (this) {
        expiring = false;
      }
      runIfIdle();
    }
    return next;
  }

  // ---------------------------------------------------------------- closing

  /**
   * Begins a frame: the connection is not idle before the frame, or the burst around it, has ended.
   */
  void beginFrame() {
    if (!burst) {
      reading = true;
    }
  }

  /** Ends the frame. */
  void endFrame() {
    if (!burst) {
      endReading();
    }
  }

  /** Begins a burst of frames: {@code reading} is written once instead of twice for each frame. */
  void beginBurst() {
    burst = true;
    reading = true;
  }

  /** Ends the burst. */
  void endBurst() {
    burst = false;
    endReading();
  }

  private void endReading() {
    reading = false;
    if (whenIdle != null) {
      runIfIdle();
    }
  }

  /** Runs the action, after those given earlier, when nothing runs or waits; at once if so now. */
  void whenIdle(Runnable action) {
    synchronized (this) {
      Runnable earlier = whenIdle;
      whenIdle = earlier == null
          ? action
          : () -> {
            earlier.run();
            action.run();
          };
    }
    runIfIdle();
  }

  /** Returns whether nothing runs or waits. */
  synchronized boolean isIdle() {
    return running == 0 && waiting == 0;
  }

  /** Returns whether the calling thread is a worker that runs a message of this connection. */
  synchronized boolean isRunHere() {
    boolean[] found = new boolean[1];
    inFlight.forEach(x -> found[0] |= x.isRunBy(Thread.currentThread()));
    return found[0];
  }

  private void runIfIdle() {
    Runnable idle;
    synchronized (this) {
      idle = takeIdle();
    }
    if (idle != null) {
      conclude(idle);
    }
  }

  synchronized int running() {
    return running;
  }

  synchronized int waiting() {
    return waiting;
  }
}

package dev.repartee;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides when each inbound message of one connection runs.
 *
 * <pre>
 *   arrive --> waiting --> running --> finished
 *          \______________/
 * </pre>
 *
 * Messages leave {@code waiting} in order of arrival. An ordered one runs alone in its lane and holds
 * back everything behind it; concurrent ones run beside each other, up to the bound. Nothing is held
 * back by a concurrent one. Whoever finishes a message starts what it held back. Everything here is
 * guarded by this object; handlers run outside of it.
 *
 * <p>The reader looks at {@code heldBack} and {@code waitingBytes} without the lock. So a step that
 * changes several fields under the lock {@linkplain #publish publishes} once, when it is complete: a
 * value in between would show a message neither as waiting nor as running.
 */
final class Lanes implements Sweeper.Owner {
  /** What keeping a message takes besides its own bytes, of which many have very few. */
  private static final int WEIGHT = 256;

  private final Limits limits;
  private final Executor workers;
  private final Outlet outlet;
  private final Runnable resume;
  private final InFlight inFlight = new InFlight();
  private final HeldBytes.Share share;

  // The messages that wait, linked by Exchange.next: nothing is allocated when one starts to wait.
  private @Nullable Exchange firstWaiting;
  private @Nullable Exchange lastWaiting;
  private int waiting;

  /** The bytes of the messages that wait. */
  private long queued;

  private int running;

  /** What all that is in flight takes, in bytes. */
  private long held;

  private @Nullable Relay relay;
  private boolean ordered;

  /** Whether reading stopped because so much waits. Written under the lock. */
  private volatile boolean paused;

  /** Whether the sweeper answers in the place of handlers, which may have finished by now. */
  private boolean expiring;

  private long due = Sweeper.NEVER;

  /** Written under the lock. */
  private volatile @Nullable Runnable whenIdle;

  /** Whether the reader is in the middle of a frame or burst, which may run something inline. */
  private volatile boolean reading;

  /** Whether it is a burst; for the reader. */
  private boolean burst;

  /**
   * The messages that wait plus an ordered one that runs: while it is 0 the reader may run inline.
   * Written by {@link #publish} only.
   */
  private volatile int heldBack;

  /** The bytes of the messages that wait. Written by {@link #publish} only. */
  private volatile long waitingBytes;

  /**
   * What is in flight counts as held once it is more than {@code free} bytes. {@code resume} is called
   * when there is room again after {@link #isFull} said there is none.
   */
  Lanes(Limits limits, int free, Executor workers, Outlet outlet, Runnable resume) {
    this.limits = limits;
    this.share = HeldBytes.ofProcess().share(free);
    this.workers = workers;
    this.outlet = outlet;
    this.resume = resume;
  }

  /** Whether nothing that arrived earlier has to finish first. For the reader. */
  boolean isClear() {
    return heldBack == 0;
  }

  /**
   * Takes in the next message; runs it at once on a worker, or later.
   *
   * @return null if it was taken in, else the limit that refuses it
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

  /** Takes in a message that the reader runs itself but that may outlive that. */
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
   * A notification, or an element of a batch, cannot be told that we are busy: it waits. Where memory
   * is short waiting takes what is missing, so a notification is refused then, which ends the
   * connection; of a batch {@link #refusal(int)} was asked before any of it ran.
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

  /** Why a frame of that size cannot be taken in as a whole; null if it can. */
  synchronized @Nullable LimitException refusal(int bytes) {
    return share.hasRoomFor(held + bytes) ? null : share.refusal();
  }

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

  /** Ends a step under the lock: shows the reader its outcome, and nothing from the middle of it. */
  private void publish() {
    waitingBytes = queued;
    heldBack = waiting + (ordered ? 1 : 0);
  }

  /** Hands started messages, linked by {@link Exchange#next}, to a worker. */
  private void hand(@Nullable Exchange started) {
    if (started != null) {
      pass(started);
      relay().standBy();
    }
  }

  /**
   * Adds started messages to what workers run. One for which there is no memory fails at once, and what
   * that starts follows.
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

  private synchronized Relay relay() {
    Relay known = relay;
    if (known == null) {
      known = new Relay(workers, outlet, this);
      relay = known;
    }
    return known;
  }

  /** Whether so many run that others will have answers soon. */
  synchronized boolean isCrowded() {
    return running >= FramedChannel.PIECE;
  }

  /** No worker is to be had: what was started fails instead of waiting for ever. */
  void deserted(Throwable cause) {
    Relay relay = relay();
    for (Exchange x = relay.take(); x != null; x = relay.take()) {
      x.fail(cause);
      pass(leave(x));
    }
  }

  /** A message has finished on a worker, which goes on with what that has started. */
  void finished(Exchange x) {
    pass(leave(x));
  }

  /** A message has finished on a thread that is not ours to run handlers on. */
  void finishedStage(Exchange x) {
    hand(leave(x));
  }

  /**
   * Takes note that a message has finished; answers what that starts, linked by {@link Exchange#next}.
   * Does nothing the second time: a stage of somebody else's may report its end more than once.
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

  /** Runs a step that must not be lost; if it fails, ends the connection, which would hang otherwise. */
  private void conclude(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      outlet.breakOff(e);
    }
  }

  private @Nullable Runnable takeIdle() {
    if (running > 0 || waiting > 0 || reading || expiring) {
      return null;
    }
    Runnable idle = whenIdle;
    whenIdle = null;
    return idle;
  }

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
   * Whether so much waits that reading should pause. Answers no while a call of ours waits for its
   * answer, which has to be read: a handler that calls back would wait for ever otherwise.
   *
   * @throws LimitException if even then too much has piled up
   */
  boolean isFull(BooleanSupplier awaitsAnswers) {
    if (heldBack < limits.queuedMessages() && waitingBytes < limits.queuedBytes()) {
      return false;
    }
    synchronized (this) {
      if (overflow(1) == null) {
        return false;
      }
      // Before it asks, so that a call that leaves meanwhile finds the pause in readOn.
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

  /** A call of ours leaves, and awaits its answer by now, which has to be read however much waits. */
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

  /** Cancels the call of that id, if there is one. */
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
        next = startWaiting(); // what only this one held back
        publish();
      }
    }
    x.cancel(queued);
    hand(next);
  }

  /** Tells everything that runs that nobody waits for it any more; what waits never runs. */
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
      share.holdAnyway(held); // also where taking one in failed halfway
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

  /** The caller reads no answers any more: cancels its requests. Its notifications go on. */
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
      next = startWaiting(); // what only these held back
      publish();
    }
    requests.forEach(Exchange::abandon);
    hand(next);
  }

  /** Nothing runs, and nothing else will: there is no time to keep. */
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
          expired.add(x); // first: one that is dropped has to be answered
          x.dropped = !x.started;
        }
      });
      next = due;
      expiring = !expired.isEmpty();
      if (expiring) {
        started = startWaiting(); // what only these held back
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

  /** The reader begins a frame: nothing is idle until it has ended it, or the burst it is in. */
  void beginFrame() {
    if (!burst) {
      reading = true;
    }
  }

  /** The reader has ended the frame. */
  void endFrame() {
    if (!burst) {
      endReading();
    }
  }

  /** The reader begins frames of which each would cost it two fences otherwise. */
  void beginBurst() {
    burst = true;
    reading = true;
  }

  /** The reader has ended the burst. */
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

  /** Runs that as soon as nothing runs or waits: now, if so. */
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

  /** Whether nothing runs or waits. */
  synchronized boolean isIdle() {
    return running == 0 && waiting == 0;
  }

  /** Whether the calling thread is a worker that runs a message of this connection. */
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

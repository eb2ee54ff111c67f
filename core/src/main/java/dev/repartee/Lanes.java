package dev.repartee;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
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
  private final Queue<Exchange> waiting = new ArrayDeque<>(0);
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

  /** The messages that wait plus an ordered one that runs: while it is 0 the reader may run inline. */
  private volatile int heldBack;

  /** Their bytes. */
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
      if (!waiting.isEmpty() || !startable(x)) {
        waiting.add(x);
        note(x.bytes.length);
        return null;
      }
      start(x);
    }
    hand(x);
    return null;
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
    if (waiting.size() >= (long) limits.queuedMessages() * times) {
      return new LimitException("queuedMessages", limits.queuedMessages());
    }
    if (waitingBytes >= (long) limits.queuedBytes() * times) {
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
    note(0);
  }

  private void note(int moreBytes) {
    waitingBytes = waitingBytes + moreBytes;
    heldBack = waiting.size() + (ordered ? 1 : 0);
  }

  private void hand(Exchange x) {
    Relay relay = relay();
    relay.add(x);
    relay.standBy();
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
      Exchange failed = x;
      Foreign.run(() -> failed.fail(cause));
      leave(x).forEach(relay::add);
    }
  }

  /** A message has finished on a worker, which goes on with what that has started. */
  void finished(Exchange x) {
    leave(x).forEach(next -> relay().add(next));
  }

  /** A message has finished on a thread that is not ours to run handlers on. */
  void finishedStage(Exchange x) {
    leave(x).forEach(this::hand);
  }

  private List<Exchange> leave(Exchange x) {
    List<Exchange> next = List.of();
    Runnable idle = null;
    boolean roomAgain = false;
    synchronized (this) {
      drop(x);
      running--;
      ordered &= !x.holdsLane;
      if (!waiting.isEmpty()) {
        next = startWaiting();
      }
      note(0);
      if (paused
          && waiting.size() <= limits.queuedMessages() / 2
          && waitingBytes <= limits.queuedBytes() / 2) {
        paused = false;
        roomAgain = true;
      }
      idle = takeIdle();
    }
    if (roomAgain) {
      resume.run();
    }
    if (idle != null) {
      idle.run();
    }
    return next;
  }

  private @Nullable Runnable takeIdle() {
    if (running > 0 || !waiting.isEmpty() || reading || expiring) {
      return null;
    }
    Runnable idle = whenIdle;
    whenIdle = null;
    return idle;
  }

  private List<Exchange> startWaiting() {
    List<Exchange> next = new ArrayList<>(1);
    for (Exchange x = waiting.peek(); x != null; x = waiting.peek()) {
      if (!x.dropped && !startable(x)) {
        break;
      }
      waiting.remove();
      note(-x.bytes.length);
      if (x.dropped) {
        drop(x);
      } else {
        start(x);
        next.add(x);
      }
    }
    return next;
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
    boolean queued;
    synchronized (this) {
      x = inFlight.find(id.json().array());
      if (x == null) {
        return;
      }
      queued = !x.started;
      x.dropped |= queued;
    }
    x.cancel(queued);
  }

  /** Tells everything that runs that nobody waits for it any more; what waits never runs. */
  void abandon() {
    List<Exchange> all = new ArrayList<>();
    Runnable idle;
    synchronized (this) {
      inFlight.forEach(all::add);
      waiting.forEach(this::drop);
      waiting.clear();
      share.holdAnyway(held); // also where taking one in failed halfway
      note((int) -waitingBytes);
      due = Sweeper.NEVER;
      idle = takeIdle();
    }
    Sweeper.forget(this);
    all.forEach(Exchange::abandon);
    if (idle != null) {
      idle.run();
    }
  }

  /** The caller reads no answers any more: cancels its requests. Its notifications go on. */
  void abandonRequests() {
    List<Exchange> requests = new ArrayList<>();
    synchronized (this) {
      inFlight.forEach(x -> {
        if (!x.isNotification()) {
          x.dropped |= !x.started;
          requests.add(x);
        }
      });
    }
    requests.forEach(Exchange::abandon);
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
    long next;
    synchronized (this) {
      due = Sweeper.NEVER;
      inFlight.forEach(x -> {
        if (x.due() > now) {
          due = Math.min(due, x.due());
        } else if (!x.dropped) {
          x.dropped = !x.started;
          expired.add(x);
        }
      });
      next = due;
      expiring = !expired.isEmpty();
    }
    if (!expired.isEmpty()) {
      expired.forEach(x -> Foreign.run(x::expire));
      expired();
    }
    return next;
  }

  private void expired() {
    synchronized (this) {
      expiring = false;
    }
    runIfIdle();
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
    return running == 0 && waiting.isEmpty();
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
      idle.run();
    }
  }

  synchronized int running() {
    return running;
  }

  synchronized int waiting() {
    return waiting.size();
  }
}

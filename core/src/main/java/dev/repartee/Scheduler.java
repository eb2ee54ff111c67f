package dev.repartee;

import dev.repartee.internal.HashTable;
import dev.repartee.internal.UserCode;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.transport.FrameSink;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
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
 * While the write queue has no room for answers, no message starts.
 */
final class Scheduler implements Sweeper.Owner {
  // Implementation note.
  //
  // States. admit() makes a message wait or run; admitInline() makes it run. A waiting message is
  // linked by Node.next, so nothing is allocated when a message starts to wait. startWaiting()
  // moves messages from the head of the queue to running, as many as startable() permits. A message
  // that is cancelled or timed out while it waits is only marked (Node.dropped); startWaiting()
  // removes it at the head of the queue without running it. release() ends a running message;
  // Node.finished makes it take effect once, because a stage of user code may report its end twice.
  //
  // Invariants, under the lock:
  //   - InFlight contains the waiting and the running messages. held is the sum of their weights.
  //   - ordered is true exactly while a message with holdsLane runs.
  //   - calls.running() counts the messages that were started and have not finished, also those
  // that
  //     a worker has not begun yet.
  //
  // Locks. This object guards all fields but the following:
  //   - burst, noRoom and withoutRoom are used by the reader only.
  //   - reading is written by the reader only, without the lock.
  //   - heldBack, waitingBytes, paused and whenIdle are volatile: written under the lock (heldBack
  //     and waitingBytes by publish() only), read without it.
  // It also guards the fields of each Node and the count of running calls. Handlers, answers and
  // user code run outside the lock.
  // Order of locks: this object, then nothing of the same connection but the Caller's table, which
  // isFull() asks for its size.
  //
  // Room for answers. startable() asks the sink under the lock, and roomAgain() takes the lock
  // after the sink has got room. So a message that waits for room is always started by the one or
  // the other. noRoom is only the answer that the sink gave before the current frame: it keeps the
  // reader from running inline methods, at no cost for each of them. Reading has to go on without
  // room while an outgoing call waits for its answer. If it stopped, two peers that call each other
  // would both stop reading, each with the answers of the other unread.
  //
  // Reading is paused by isFull(). Every step that removes messages from the queue ends with
  // resumeIfRoom(), outside the lock.
  //
  // Each step under the lock that changes the queue or "ordered" calls publish() once, at its end.
  // Writing heldBack in the middle of a step was tried: for a moment a message was neither waiting
  // nor running, so the reader ran an inline request before a notification that had arrived
  // earlier.
  //
  // reading protects the end of the connection: while the reader is inside a frame the connection
  // is not idle, because an inline handler may run that "calls" does not count. expiring does the
  // same while the sweeper answers calls in place of their handlers, which may finish meanwhile.

  /** The memory in bytes that an exchange takes besides its message, which may be very small. */
  private static final int WEIGHT = 256;

  /**
   * The place of one exchange in its scheduler. The lock of the scheduler guards all fields that
   * are not final.
   */
  static final class Node extends HashTable.Entry<Node> {
    final OwnedExchange exchange;
    private final Lane lane;

    /** The next waiting message, or the next message that was started in the same step. */
    private @Nullable Node next;

    private boolean started;

    /** Whether the message runs and holds back all later ones. */
    private boolean holdsLane;

    /** Whether the message was cancelled or timed out while it waited. */
    private boolean dropped;

    private boolean finished;

    Node(OwnedExchange exchange, Lane lane) {
      this.exchange = exchange;
      this.lane = lane;
    }

    boolean isNotification() {
      return exchange.isNotification();
    }

    /** Returns the size of the message in bytes. */
    private int size() {
      return exchange.bytes.length;
    }

    /** Returns the memory that the message takes in bytes. */
    private int weight() {
      return size() + WEIGHT;
    }
  }

  private final Limits limits;
  private final Executor workers;
  private final FrameSink sink;
  private final Runnable resume;
  private final InFlight inFlight = new InFlight();
  private final MemoryBudget.Share share;

  // The queue of waiting messages, linked by Node.next.
  private @Nullable Node firstWaiting;
  private @Nullable Node lastWaiting;
  private int waiting;

  /** The size of the waiting messages in bytes. */
  private long queued;

  private final CallCounts calls = new CallCounts();

  /** The memory in bytes that all waiting and running messages take. */
  private long held;

  private @Nullable WorkQueue workQueue;

  /** Whether a message runs that holds back all later ones. */
  private boolean ordered;

  /** Whether reading is paused because the queue or the write queue is full. */
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

  /** Whether the write queue had no room for answers when {@link #isFull} was asked last. */
  private boolean noRoom;

  /**
   * The size in bytes, at most, of the answers to messages that the reader took while the write
   * queue had no room, without those that handlers give.
   */
  private long withoutRoom;

  /**
   * The number of waiting messages, plus one if an ordered message runs: while it is 0 the reader
   * may run inline methods.
   */
  private volatile int heldBack;

  /** The size of the waiting messages in bytes, for the reader. */
  private volatile long waitingBytes;

  /**
   * @param free the number of bytes in flight that are not charged to {@link MemoryBudget}
   * @param resume runs when the queue has room again after {@link #isFull} returned true. The
   *     channel itself reads on when only its write queue had no room
   */
  Scheduler(Limits limits, int free, Executor workers, FrameSink sink, Runnable resume) {
    this.limits = limits;
    this.share = MemoryBudget.ofProcess().share(free);
    this.workers = workers;
    this.sink = sink;
    this.resume = resume;
  }

  /**
   * Returns whether the reader may run an inline method: no earlier message has to finish first,
   * and there is room for the answer. For the reader.
   */
  boolean isClear() {
    return heldBack == 0 && !noRoom;
  }

  /** Returns whether an earlier message has to finish before the next one may run. */
  boolean isHeldBack() {
    return heldBack != 0;
  }

  /**
   * Counts a message that may be answered without a handler, for example refused or cancelled. For
   * the reader.
   *
   * @param repeated the number of its bytes that the answer repeats
   */
  void taken(int repeated) {
    if (noRoom) {
      withoutRoom += WEIGHT + repeated;
    }
  }

  /** Counts a call that the reader serves from the read buffer. For the reader. */
  void servedInline() {
    calls.servedInline();
    if (!burst) {
      calls.publish(); // before its answer can leave
    }
  }

  /**
   * Admits the next message, which a worker runs, at once or later.
   *
   * @return null if the message was admitted, otherwise the limit that it would exceed
   */
  @Nullable LimitException admit(OwnedExchange x) {
    Node node = x.node;
    synchronized (this) {
      LimitException refusal = register(node);
      if (refusal != null) {
        return refusal;
      }
      if (waiting > 0 || !startable(node)) {
        enqueue(node);
        publish();
        return null;
      }
      start(node);
      publish();
    }
    handToWorker(node);
    return null;
  }

  private void enqueue(Node node) {
    Node last = lastWaiting;
    if (last == null) {
      firstWaiting = node;
    } else {
      last.next = node;
    }
    lastWaiting = node;
    waiting++;
    queued += node.size();
  }

  private void dequeue(Node first) {
    firstWaiting = first.next;
    if (firstWaiting == null) {
      lastWaiting = null;
    }
    first.next = null;
    waiting--;
    queued -= first.size();
  }

  /**
   * Admits a message that the reader runs, and that may still be in flight after the handler
   * returns.
   *
   * @return null if the message was admitted, otherwise the limit that it would exceed
   */
  synchronized @Nullable LimitException admitInline(OwnedExchange x) {
    LimitException refusal = register(x.node);
    if (refusal == null) {
      calls.started();
      x.node.started = true;
    }
    return refusal;
  }

  /**
   * Adds a message to those in flight and reserves its memory.
   *
   * @return null if that was done, otherwise the limit that the message would exceed
   */
  private @Nullable LimitException register(Node node) {
    LimitException refusal = checkRoom(node);
    if (refusal != null) {
      return refusal;
    }
    if (!tryReserve(node)) {
      return share.refusal();
    }
    inFlight.add(node);
    held += node.weight();
    watch(node.exchange);
    return null;
  }

  /**
   * Returns the limit on the number or size of messages that this one would exceed, or null. Only
   * single requests are refused. Notifications, which cannot be answered, and elements of a batch
   * wait, and a full queue pauses reading.
   */
  private @Nullable LimitException checkRoom(Node node) {
    if (node.isNotification() || node.exchange.isInBatch()) {
      return null;
    }
    return calls.running() >= limits.runningCalls()
        ? new LimitException("runningCalls", limits.runningCalls())
        : overflow(1);
  }

  /**
   * Reserves the memory of a message; returns false if the memory budget is exhausted. The elements
   * of a batch always get theirs: {@link #checkRoom(int)} was asked for the whole batch, before any
   * of its elements ran.
   */
  private boolean tryReserve(Node node) {
    long needed = held + node.weight();
    if (node.exchange.isInBatch()) {
      share.holdAnyway(needed);
      return true;
    }
    return share.hold(needed);
  }

  private void unregister(Node node) {
    if (inFlight.remove(node)) {
      held -= node.weight();
      share.holdAnyway(held);
    }
  }

  /** Returns the memory limit that a frame of this size would exceed, or null. Reserves nothing. */
  synchronized @Nullable LimitException checkRoom(int bytes) {
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

  private boolean startable(Node node) {
    return !ordered
        && (node.lane != Lane.CONCURRENT || calls.running() < limits.runningCalls())
        && sink.takesAnswers();
  }

  private void start(Node node) {
    node.started = true;
    calls.started();
    node.holdsLane = node.lane != Lane.CONCURRENT;
    ordered |= node.holdsLane;
  }

  /** Ends a step under the lock: makes its result visible to the reader. */
  private void publish() {
    waitingBytes = queued;
    heldBack = waiting + (ordered ? 1 : 0);
  }

  /** Hands started messages, linked by {@link Node#next}, to a worker that is not the caller. */
  private void handToWorker(@Nullable Node started) {
    if (started != null) {
      addToWorkQueue(started);
      workQueue().standBy();
    }
  }

  /**
   * Adds started messages to the queue of the workers. If there is no memory to queue a message, it
   * fails at once, and the messages that it held back are added next.
   */
  private void addToWorkQueue(@Nullable Node started) {
    Node node = started;
    while (node != null) {
      Node rest = node.next;
      node.next = null;
      try {
        workQueue().add(node.exchange);
      } catch (Throwable e) {
        node.exchange.fail(e);
        rest = join(release(node), rest);
      }
      node = rest;
    }
  }

  private static @Nullable Node join(@Nullable Node one, @Nullable Node other) {
    if (one == null) {
      return other;
    }
    Node last = one;
    for (Node node = last.next; node != null; node = last.next) {
      last = node;
    }
    last.next = other;
    return one;
  }

  private synchronized WorkQueue workQueue() {
    WorkQueue known = workQueue;
    if (known == null) {
      known = new WorkQueue(workers, sink, this);
      workQueue = known;
    }
    return known;
  }

  /** Returns whether so many messages run that more answers are expected within a moment. */
  synchronized boolean isCrowded() {
    return calls.running() >= WorkQueue.PIECE;
  }

  /** Fails all messages that were started, because no worker thread could be started for them. */
  void failStarted(Throwable cause) {
    WorkQueue workQueue = workQueue();
    for (OwnedExchange x = workQueue.take(); x != null; x = workQueue.take()) {
      x.fail(cause);
      addToWorkQueue(release(x.node));
    }
  }

  /** Ends a message on a worker, which goes on with the messages that this starts. */
  void finishOnWorker(OwnedExchange x) {
    addToWorkQueue(release(x.node));
  }

  /**
   * Takes note that a message has opened a stream: it holds back no later message any more, and may
   * have an earlier deadline.
   */
  void opened(OwnedExchange x) {
    Node next = null;
    synchronized (this) {
      watch(x);
      if (x.node.holdsLane) {
        x.node.holdsLane = false;
        ordered = false;
        next = startWaiting();
        publish();
      }
    }
    handToWorker(next);
    resumeIfRoom();
  }

  /** Returns the call with this id; null if there is none. */
  synchronized @Nullable OwnedExchange find(Id id) {
    Node node = inFlight.find(UnsafeJson.array(id.json()));
    return node == null ? null : node.exchange;
  }

  /** Ends a message on a thread that must not run other handlers, and hands those to a worker. */
  void finish(OwnedExchange x) {
    handToWorker(release(x.node));
  }

  /**
   * Ends a message and returns the messages that this starts, linked by {@link Node#next}. Does
   * nothing when called again: a stage of user code may report its end more than once.
   */
  private @Nullable Node release(Node node) {
    Node next;
    Runnable idle;
    synchronized (this) {
      if (node.finished) {
        return null;
      }
      node.finished = true;
      unregister(node);
      calls.finished();
      ordered &= !node.holdsLane;
      next = startWaiting();
      publish();
      idle = takeIdle();
    }
    resumeIfRoom();
    if (idle != null) {
      runOrAbort(idle);
    }
    return next;
  }

  /**
   * Runs a step that must not be lost. If it fails the connection would hang, so the connection
   * ends.
   */
  private void runOrAbort(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      sink.abort(e);
    }
  }

  /**
   * Returns and clears the idle action if the connection is idle, otherwise null. Needs the lock.
   */
  private @Nullable Runnable takeIdle() {
    if (calls.running() > 0 || waiting > 0 || reading || expiring) {
      return null;
    }
    Runnable idle = whenIdle;
    whenIdle = null;
    return idle;
  }

  /** Starts the waiting messages that may run now, and returns them linked. Needs the lock. */
  private @Nullable Node startWaiting() {
    Node first = null;
    Node last = null;
    for (Node node = firstWaiting; node != null; node = firstWaiting) {
      if (!node.dropped && !startable(node)) {
        break;
      }
      dequeue(node);
      if (node.dropped) {
        unregister(node);
      } else {
        start(node);
        if (last == null) {
          first = node;
        } else {
          last.next = node;
        }
        last = node;
      }
    }
    return first;
  }

  // ---------------------------------------------------------------- bounds

  /**
   * Returns whether reading has to pause because the queue is full, or because the write queue has
   * no room for answers. The reader asks before each frame.
   *
   * <p>Returns false while an outgoing call waits for its answer, which has to be read: otherwise a
   * handler that calls back over its connection would wait for ever. Without room for answers,
   * requests of {@link Limits#queuedBytes} at most are taken then.
   *
   * @throws LimitException if such a call waits and the queue has reached twice its limit
   */
  boolean isFull(BooleanSupplier awaitsAnswers) {
    noRoom = !sink.takesAnswers();
    if (!noRoom) {
      withoutRoom = 0;
      if (heldBack < limits.queuedMessages() && waitingBytes < limits.queuedBytes()) {
        return false;
      }
    }
    synchronized (this) {
      if (!noRoom && overflow(1) == null) {
        return false;
      }
      // Before awaitsAnswers is asked, so that readOn(), called for a call that starts now, sees
      // it.
      paused = true;
      if (withoutRoom >= limits.queuedBytes() || !awaitsAnswers.getAsBoolean()) {
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

  /** Resumes reading if it is paused and the queue has fallen to half of its limits. */
  private void resumeIfRoom() {
    if (!paused) {
      return;
    }
    synchronized (this) {
      if (!paused
          || waiting > limits.queuedMessages() / 2
          || queued > limits.queuedBytes() / 2
          || !sink.takesAnswers()) { // the channel reads on by itself when it does
        return;
      }
      paused = false;
    }
    runOrAbort(resume);
  }

  /** Starts the messages that waited for room in the write queue. */
  void roomAgain() {
    Node next;
    synchronized (this) {
      next = startWaiting();
      publish();
    }
    handToWorker(next);
    resumeIfRoom();
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
    Node node;
    Node next = null;
    boolean queued;
    synchronized (this) {
      node = inFlight.find(UnsafeJson.array(id.json()));
      if (node == null) {
        return;
      }
      queued = !node.started;
      if (queued) {
        node.dropped = true;
        next = startWaiting(); // the messages that only this one held back
        publish();
      }
    }
    node.exchange.cancel(queued);
    handToWorker(next);
    resumeIfRoom();
  }

  /** Cancels all running messages without an answer, and drops all waiting messages. */
  void abandon() {
    List<OwnedExchange> all;
    Runnable idle;
    synchronized (this) {
      all = new ArrayList<>(inFlight.size()); // before anything changes: there may be no memory
      inFlight.forEach(node -> all.add(node.exchange));
      for (Node node = firstWaiting; node != null; node = firstWaiting) {
        dequeue(node);
        unregister(node);
      }
      share.holdAnyway(held); // also after an admission that failed halfway
      publish();
      due = Sweeper.NEVER;
      idle = takeIdle();
    }
    Sweeper.forget(this);
    UserCode.forEach(all, OwnedExchange::abandon);
    if (idle != null) {
      runOrAbort(idle);
    }
  }

  /** Cancels all streams, because their callers can neither grant items nor cancel any more. */
  void cancelStreams() {
    List<OwnedExchange> all;
    synchronized (this) {
      all = new ArrayList<>(inFlight.size());
      inFlight.forEach(node -> all.add(node.exchange));
    }
    UserCode.forEach(all, OwnedExchange::cancelStream);
  }

  /** Cancels all requests, because the peer no longer reads answers. Notifications continue. */
  void abandonRequests() {
    List<OwnedExchange> requests;
    Node next;
    synchronized (this) {
      requests =
          new ArrayList<>(inFlight.size()); // before anything changes: there may be no memory
      inFlight.forEach(node -> {
        if (!node.isNotification()) {
          node.dropped |= !node.started;
          requests.add(node.exchange);
        }
      });
      next = startWaiting(); // the messages that only these held back
      publish();
    }
    UserCode.forEach(requests, OwnedExchange::abandon);
    handToWorker(next);
    resumeIfRoom();
  }

  /** Stops watching time-outs, because nothing runs and no more messages will arrive. */
  void stopWatching() {
    Sweeper.forget(this);
  }

  private void watch(OwnedExchange x) {
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
  public long expire(long now) {
    List<OwnedExchange> expired = new ArrayList<>();
    Node started = null;
    long next;
    synchronized (this) {
      due = Sweeper.NEVER;
      inFlight.forEach(node -> {
        OwnedExchange x = node.exchange;
        if (x.due() > now) {
          due = Math.min(due, x.due());
        } else if (!node.dropped) {
          expired.add(x); // first, since it may fail: a dropped message must be answered
          node.dropped = !node.started;
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
      for (OwnedExchange x : expired) {
        x.expire();
      }
      handToWorker(started);
      resumeIfRoom();
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
    calls.publish();
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
            runOrAbort(earlier);
            action.run();
          };
    }
    runIfIdle();
  }

  /** Returns whether nothing runs or waits. */
  synchronized boolean isIdle() {
    return calls.running() == 0 && waiting == 0;
  }

  /** Returns a message that such a worker runs now; null if there is none. */
  synchronized @Nullable OwnedExchange runBy(Predicate<Thread> worker) {
    AtomicReference<@Nullable OwnedExchange> found = new AtomicReference<>();
    inFlight.forEach(node -> {
      if (node.exchange.isRunBy(worker)) {
        found.set(node.exchange);
      }
    });
    return found.get();
  }

  private void runIfIdle() {
    Runnable idle;
    synchronized (this) {
      idle = takeIdle();
    }
    if (idle != null) {
      runOrAbort(idle);
    }
  }

  synchronized int running() {
    return calls.running();
  }

  /** Returns the counts, for their methods that need no lock. */
  CallCounts calls() {
    return calls;
  }

  /** Adds the counts to those of a server from now on, unless that was done before. */
  synchronized void countFor(@Nullable ServerStatus server) {
    calls.countFor(server);
  }

  synchronized int waiting() {
    return waiting;
  }
}

package dev.repartee;

import dev.repartee.MessageQueue.Node;
import dev.repartee.internal.Clock;
import dev.repartee.internal.UserCode;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.message.Id;
import dev.repartee.transport.FrameSink;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
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
 * Messages are started in order of arrival. An ordered message blocks all messages behind it until
 * it has finished. Concurrent messages run in parallel, up to {@link Limits#runningCalls}, and
 * block nothing. The thread that finishes a message starts the messages that it blocked. While the
 * write queue has no room for answers, no message starts.
 */
final class Scheduler implements Clock.Owner {
  // Implementation note.
  //
  // States. admit() makes a message wait or run; admitInline() makes it run.
  // MessageQueue.startWaiting() moves messages from the head of the queue to running, as many as
  // may start. A message that is cancelled or timed out while it waits is only marked
  // (Node.dropped); startWaiting() removes it without running it. release() ends a running message;
  // Node.finished ensures that it has an effect only once, because a stage of user code may report
  // its end twice.
  //
  // Parts, by state: MessageQueue has the waiting messages and their order, InFlight the waiting
  // and running ones with their memory, CallCounts the number of running ones, ReadPause the view
  // of the reader, and IdleActions the actions for the end of all work.
  //
  // Invariants, under the lock:
  //   - InFlight contains the waiting and the running messages.
  //   - MessageQueue.ordered is true exactly while a message with holdsLane runs.
  //   - calls.running() counts the messages that were started and have not finished, including
  //     messages that no worker has begun yet.
  //
  // Locks. This object guards its fields, the fields of each Node, and its parts; ReadPause and
  // IdleActions name the fields that are excepted. Handlers, answers and user code run outside the
  // lock. Order of locks: this object, then nothing of the same connection but the Caller's table,
  // which pauseIfFull() asks for its size.
  //
  // Room for answers. The queue asks the sink under the lock whether a message may start, and
  // roomAgain() acquires the lock after the sink has got room. The later of these two steps finds
  // the room and starts the waiting messages.
  //
  // Reading is paused by pauseIfFull(). Every step that removes messages from the queue ends with
  // resumeIfRoom(), outside the lock.
  //
  // Each step under the lock that changes the queue calls pause.publish() once, at its end.
  // Writing heldBack in the middle of a step was tried: for a moment a message was neither waiting
  // nor running, and the reader ran an inline request before a notification that had arrived
  // earlier.

  /**
   * The number of control methods, such as {@code rpc.ping}, that run above {@link
   * Limits#runningCalls}. Only layers make one of them run for longer than its hand-over.
   */
  private static final int CONTROLS = 16;

  private final ServerContext context;
  private final Limits limits;
  private final Clock clock;
  private final Executor workers;
  private final FrameSink sink;
  private final Runnable resume;
  private final InFlight inFlight;
  private final MessageQueue queue;
  private final ReadPause pause;
  private final CallCounts calls = new CallCounts();
  private final IdleActions idle = new IdleActions();
  private @Nullable WorkQueue workQueue;

  /** A lower bound of the times at which messages in flight are due, by {@link #clock}. */
  private long due = Clock.NEVER;

  /**
   * @param free the number of bytes in flight that are not charged to the memory budget
   * @param resume runs when the queue has room again after {@link #pauseIfFull} has paused. The
   *     channel itself reads on when only its write queue had no room
   */
  Scheduler(ServerContext context, int free, Executor workers, FrameSink sink, Runnable resume) {
    Options options = context.options();
    this.context = context;
    this.limits = options.limits();
    this.clock = options.clock();
    this.inFlight = new InFlight(free);
    this.queue = new MessageQueue(options, sink, inFlight, calls);
    this.pause = new ReadPause(limits, queue, sink);
    this.workers = workers;
    this.sink = sink;
    this.resume = resume;
  }

  /**
   * Returns whether the reader may run an inline method: no earlier message has to finish first,
   * and there is room for the answer. For the reader.
   */
  boolean isClear() {
    return pause.isClear();
  }

  /** Returns whether there is room for the answer of an inline method. For the reader. */
  boolean hasRoom() {
    return pause.hasRoom();
  }

  /** Returns whether an earlier message has to finish before the next one may run. */
  boolean isHeldBack() {
    return pause.isHeldBack();
  }

  /**
   * Counts a message that may be answered without a handler, for example refused or cancelled. For
   * the reader.
   *
   * @param repeated the number of its bytes that the answer repeats
   */
  void countAnswer(int repeated) {
    pause.countAnswer(repeated);
  }

  /** Counts a call that the reader serves from the read buffer. For the reader. */
  void servedInline() {
    calls.servedInline();
    if (!idle.isInBurst()) {
      calls.publish(); // before its answer can leave
    }
  }

  /**
   * Admits the next message, which a worker runs, immediately or later.
   *
   * @return null if the message was admitted, otherwise the limit that it would exceed
   */
  @Nullable LimitException admit(OwnedExchange x) {
    Node node = x.node;
    synchronized (this) {
      LimitException refusal = queue.shed(node, context.backlog());
      refusal = refusal == null ? register(node) : refusal;
      if (refusal != null) {
        return refusal;
      }
      boolean started = queue.startOrAdd(node);
      pause.publish();
      if (!started) {
        return null;
      }
    }
    handToWorker(node);
    return null;
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
   * Adds a message to those in flight.
   *
   * @return null if that was done, otherwise the limit that the message would exceed
   */
  private @Nullable LimitException register(Node node) {
    LimitException refusal = checkRoom(node);
    if (refusal == null) {
      refusal = inFlight.add(node);
    }
    if (refusal == null) {
      watch(node.exchange);
    }
    return refusal;
  }

  /**
   * Returns the limit on the number or size of messages that this one would exceed, or null. Only
   * single requests are refused. Notifications, which cannot be answered, and elements of a batch
   * wait, and a full queue pauses reading. Up to {@link #CONTROLS} control methods run beside it.
   */
  private @Nullable LimitException checkRoom(Node node) {
    if (!node.isRefusable()) {
      return null;
    }
    if (node.exchange.method().isControl()) {
      return calls.running() >= limits.runningCalls() + CONTROLS
          ? new LimitException("runningCalls", limits.runningCalls())
          : null;
    }
    return calls.running() >= limits.runningCalls()
        ? new LimitException("runningCalls", limits.runningCalls())
        : queue.overflow(1);
  }

  /** Returns the memory limit that a frame of this size would exceed, or null. Reserves nothing. */
  synchronized @Nullable LimitException checkRoom(int bytes) {
    return inFlight.checkRoom(bytes);
  }

  /** Hands started messages, linked by {@link Node#next}, to a worker that is not the caller. */
  private void handToWorker(@Nullable Node started) {
    if (started != null) {
      addToWorkQueue(started);
      workQueue().standBy();
    }
  }

  /** Adds started messages to the queue of the workers. If that fails the connection ends. */
  private void addToWorkQueue(@Nullable Node started) {
    if (started != null) {
      runOrAbort(() -> workQueue().add(started));
    }
  }

  private synchronized WorkQueue workQueue() {
    if (workQueue == null) {
      workQueue = new WorkQueue(workers, sink, this, context);
    }
    return workQueue;
  }

  /** Returns whether so many messages run that more answers are expected within a moment. */
  synchronized boolean isCrowded() {
    return calls.running() >= WorkQueue.PIECE;
  }

  /** Ends a message on a worker, which continues with the messages that this starts. */
  void finishOnWorker(OwnedExchange x) {
    addToWorkQueue(release(x.node));
  }

  /**
   * Records that a message has opened a stream: the message no longer blocks later ones, and its
   * deadline may be earlier.
   */
  void opened(OwnedExchange x) {
    Node next = null;
    synchronized (this) {
      watch(x);
      if (queue.releaseLane(x.node)) {
        next = queue.startWaiting();
        pause.publish();
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

  /**
   * Ends a message on a thread that must not run other handlers. A worker runs the messages that
   * this starts.
   */
  void finish(OwnedExchange x) {
    handToWorker(release(x.node));
  }

  /**
   * Ends a message and returns the messages that this starts, linked by {@link Node#next}. Does
   * nothing when called again: a stage of user code may report its end more than once.
   */
  private @Nullable Node release(Node node) {
    Node next;
    Runnable actions;
    synchronized (this) {
      if (node.finished) {
        return null;
      }
      node.finished = true;
      inFlight.remove(node);
      calls.finished();
      queue.releaseLane(node);
      next = queue.startWaiting();
      pause.publish();
      actions = takeIdle();
    }
    resumeIfRoom();
    actions.run();
    return next;
  }

  /**
   * Runs a step that must not be lost. If it fails, ends the connection, which would otherwise
   * hang.
   */
  private void runOrAbort(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      sink.abort(e);
    }
  }

  // ---------------------------------------------------------------- bounds

  /**
   * Pauses reading if the queue is full, or if the write queue has no room for answers. For the
   * reader, before each frame.
   *
   * <p>Does not pause while an outgoing call waits for its answer, which has to be read: otherwise
   * a handler that calls back over its connection would wait for ever. Without room for answers,
   * requests of at most {@link Limits#queuedBytes} are accepted then.
   *
   * @return whether reading is paused
   * @throws LimitException if such a call waits and the queue has reached twice its limit
   */
  boolean pauseIfFull(BooleanSupplier awaitsAnswers) {
    pause.lookForRoom();
    if (!pause.isDue()) {
      return false;
    }
    synchronized (this) {
      return pause.pauseUnlessAwaiting(awaitsAnswers);
    }
  }

  /** Resumes reading if it is paused and there is room. */
  private void resumeIfRoom() {
    if (!pause.isPaused()) {
      return;
    }
    synchronized (this) {
      if (!pause.isOver()) {
        return;
      }
      pause.end();
    }
    runOrAbort(resume);
  }

  /** Starts the messages that waited for room in the write queue. */
  void roomAgain() {
    Node next;
    synchronized (this) {
      next = queue.startWaiting();
      pause.publish();
    }
    handToWorker(next);
    resumeIfRoom();
  }

  /**
   * Resumes paused reading, because an outgoing call is about to be sent. It must be among the
   * pending calls already, so that {@link #pauseIfFull} does not pause again.
   */
  void readOn() {
    if (!pause.isPaused()) {
      return;
    }
    synchronized (this) {
      if (!pause.end()) {
        return;
      }
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
        next = queue.startWaiting(); // the messages that only this one blocked
        pause.publish();
      }
    }
    node.exchange.cancel(queued);
    handToWorker(next);
    resumeIfRoom();
  }

  /** Cancels all running messages without an answer, and drops all waiting messages. */
  void abandon() {
    List<OwnedExchange> all;
    Runnable actions;
    synchronized (this) {
      all = inFlight.exchanges();
      queue.clear();
      pause.publish();
      due = Clock.NEVER;
      actions = takeIdle();
    }
    clock.forget(this);
    UserCode.forEach(all, OwnedExchange::abandon);
    actions.run();
  }

  /** Cancels all streams, because their callers can no longer grant items or cancel. */
  void cancelStreams() {
    List<OwnedExchange> all;
    synchronized (this) {
      all = inFlight.exchanges();
    }
    UserCode.forEach(all, OwnedExchange::cancelStream);
  }

  /** Cancels all requests, because the peer no longer reads answers. Notifications continue. */
  void abandonRequests() {
    List<OwnedExchange> requests = new ArrayList<>();
    Node next;
    synchronized (this) {
      inFlight.forEach(node -> {
        if (!node.isNotification()) {
          node.dropped |= !node.started;
          requests.add(node.exchange);
        }
      });
      next = queue.startWaiting(); // the messages that only these blocked
      pause.publish();
    }
    UserCode.forEach(requests, OwnedExchange::abandon);
    handToWorker(next);
    resumeIfRoom();
  }

  /** Returns whether the time-outs are watched. */
  synchronized boolean isWatched() {
    return due != Clock.NEVER;
  }

  /** Stops watching time-outs, because nothing runs and no more messages will arrive. */
  void stopWatching() {
    clock.forget(this);
  }

  private void watch(OwnedExchange x) {
    if (x.due() < due) {
      due = x.due();
      clock.watch(this, due);
    }
  }

  @Override
  public synchronized long due() {
    return due;
  }

  @Override
  public long expire(long now) {
    try {
      return expireAll(now);
    } catch (Throwable e) {
      sink.abort(e); // dropped messages may have no answer
      return Clock.NEVER;
    }
  }

  private long expireAll(long now) {
    List<OwnedExchange> expired = new ArrayList<>();
    Node started;
    long next;
    synchronized (this) {
      due = Clock.NEVER;
      inFlight.forEach(node -> {
        OwnedExchange x = node.exchange;
        if (x.due() > now) {
          due = Math.min(due, x.due());
        } else if (!node.dropped) {
          expired.add(x);
          node.dropped = !node.started;
        }
      });
      next = due;
      if (expired.isEmpty()) {
        return next;
      }
      idle.setExpiring(true);
      started = queue.startWaiting(); // the messages that only these blocked
      pause.publish();
    }
    expired.forEach(OwnedExchange::expire);
    handToWorker(started);
    resumeIfRoom();
    synchronized (this) {
      idle.setExpiring(false);
    }
    runIfIdle();
    return next;
  }

  // ---------------------------------------------------------------- closing

  /**
   * Begins a frame: the connection is not idle before the frame, or the burst around it, has ended.
   */
  void beginFrame() {
    idle.beginFrame();
  }

  /** Ends the frame. */
  void endFrame() {
    if (!idle.isInBurst()) {
      endBurst();
    }
  }

  /** Begins a burst of frames. */
  void beginBurst() {
    idle.beginBurst();
  }

  /** Ends the burst. */
  void endBurst() {
    calls.publish();
    if (idle.endReading()) {
      runIfIdle();
    }
  }

  /**
   * Runs the action, after earlier ones, when nothing runs or waits; immediately if that is the
   * case.
   */
  void whenIdle(Runnable action) {
    synchronized (this) {
      idle.add(() -> runOrAbort(action));
    }
    runIfIdle();
  }

  private void runIfIdle() {
    Runnable actions;
    synchronized (this) {
      actions = takeIdle();
    }
    actions.run();
  }

  /** Removes and returns the idle actions if the connection is idle. Needs the lock. */
  private Runnable takeIdle() {
    return isIdle() ? idle.take() : IdleActions.NONE;
  }

  /** Returns whether nothing runs or waits. */
  synchronized boolean isIdle() {
    return calls.running() == 0 && queue.size() == 0;
  }

  /** Returns a message that such a worker runs now; null if there is none. */
  synchronized @Nullable OwnedExchange runBy(Predicate<Thread> worker) {
    return inFlight.runBy(worker);
  }

  synchronized int running() {
    return calls.running();
  }

  /** Returns the counts, for their methods that need no lock. */
  CallCounts calls() {
    return calls;
  }

  /** Adds the counts to the counts of a server from now on, unless that was done before. */
  synchronized void countFor(@Nullable ServerStatus server) {
    calls.countFor(server, queue.size());
  }

  synchronized int waiting() {
    return queue.size();
  }
}

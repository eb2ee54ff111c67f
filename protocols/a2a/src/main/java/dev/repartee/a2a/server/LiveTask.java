package dev.repartee.a2a.server;

import dev.repartee.a2a.types.StreamResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskArtifactUpdateEvent;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.types.TaskStatus;
import dev.repartee.a2a.types.TaskStatusUpdateEvent;
import dev.repartee.a2a.wire.Errors;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A task in use. Applies its events one after another, saves the task, and sends the events to all
 * subscribers in the same order (section 3.5.2).
 *
 * <p>The lock guards all fields that change. While it is held, a thread may call the store,
 * although the store may block, and may send events, which never blocks. It must not call the
 * agent.
 */
final class LiveTask {
  /** The maximum number of attempts to save a change while other servers change the task. */
  private static final int ATTEMPTS = 5;

  /**
   * The maximum time for which the next message waits until an agent that requires input returns.
   */
  private static final Duration RETURN_TIME = Duration.ofSeconds(5);

  private final String id;
  private final TaskStore store;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition turnEnded = lock.newCondition();

  /** Only {@link #remove} changes it without the lock. */
  private final Set<Subscriber> subscribers = ConcurrentHashMap.newKeySet();

  /** The last known state; null before it is loaded, or before the first event of a new task. */
  private @Nullable StoredTask stored;

  /** The turn that works on the task on this server, or null. */
  private @Nullable Turn turn;

  /** Whether another server has ended the task during the turn. */
  private boolean endedElsewhere;

  /** Whether the server has begun to close during the turn. */
  private boolean closing;

  LiveTask(String id, TaskStore store) {
    this.id = id;
    this.store = store;
  }

  String id() {
    return id;
  }

  /** Returns the present time with the precision of the protocol. */
  static Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.MILLIS);
  }

  /** Returns the state of the task if a turn works on it, or null. */
  @Nullable StoredTask running() {
    lock.lock();
    try {
      return turn == null ? null : stored;
    } finally {
      lock.unlock();
    }
  }

  // ---------------------------------------------------------------- turns

  /** Begins the turn of a message without a task. */
  void begin(Turn beginning) {
    lock.lock();
    try {
      turn = beginning;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Begins the turn of a message that continues this task, and adds the message to the history.
   *
   * @param change returns the task with the message
   */
  Task resume(Turn beginning, UnaryOperator<Task> change) {
    lock.lock();
    try {
      awaitReturn();
      if (turn != null) {
        throw Errors.unsupported("the agent works on the task; send messages when it needs input");
      }
      StoredTask known = load();
      if (known.task().state().isTerminal()) {
        throw Errors.unsupported("the task has ended; begin another one in its context");
      }
      Task next = change(known, change).task();
      turn = beginning;
      endedElsewhere = false;
      return next;
    } finally {
      lock.unlock();
    }
  }

  /** Waits a short time until an agent that requires input returns. */
  private void awaitReturn() {
    long left = RETURN_TIME.toNanos();
    try {
      while (turn != null
          && stored != null
          && stored.task().state() == TaskState.INPUT_REQUIRED
          && left > 0) {
        left = turnEnded.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the turn. */
  void end(Turn ended) {
    lock.lock();
    try {
      if (turn == ended) {
        turn = null;
        turnEnded.signalAll();
        if (closing) {
          endStreams();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Creates the task with its first message. */
  Task create(Task task, Client client) {
    lock.lock();
    try {
      StoredTask made = new StoredTask(task, client.owner(), client.share(), 0);
      if (!store.save(made)) {
        throw new IllegalStateException("the store has a task with the new id " + id);
      }
      stored = made.saved();
      send(task);
      return task;
    } finally {
      lock.unlock();
    }
  }

  // ---------------------------------------------------------------- events

  /**
   * Applies an event, saves the task, and sends the event to all subscribers.
   *
   * @param after receives the event and the changed task; called with the lock held
   * @return the task after the event
   * @throws CancellationException if the task has ended, for example on another server
   */
  Task publish(StreamResponse event, BiConsumer<StreamResponse, StoredTask> after) {
    lock.lock();
    try {
      StoredTask known = stored == null ? load() : stored;
      StoredTask next;
      if (event instanceof TaskArtifactUpdateEvent chunk && chunk.append() && !chunk.lastChunk()) {
        requireOpen(known.task());
        // Saved with the next event of another kind, because each save writes the whole artifact.
        next = known.with(known.task().after(event));
      } else {
        next = change(known, task -> task.after(event));
      }
      stored = next;
      send(event);
      after.accept(event, next);
      return next.task();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Cancels the task, and the turn that works on it.
   *
   * @throws dev.repartee.RpcException if it has already ended
   */
  Task cancel(BiConsumer<StreamResponse, StoredTask> after) {
    Turn running = null;
    lock.lock();
    try {
      StoredTask known = load();
      if (known.task().state().isTerminal()) {
        running = endedElsewhere ? turn : null;
        throw Errors.taskNotCancelable(id);
      }
      running = turn;
      TaskStatus status = new TaskStatus(TaskState.CANCELED, null, now());
      return publish(new TaskStatusUpdateEvent(id, known.task().contextId(), status, null), after);
    } catch (CancellationException e) {
      throw Errors.taskNotCancelable(id);
    } finally {
      lock.unlock();
      if (running != null) {
        running.stop();
      }
    }
  }

  private void requireOpen(Task task) {
    if (task.state().isTerminal()) {
      throw new CancellationException(
          "the task has ended with the state " + task.state() + "; it can no longer change");
    }
  }

  /**
   * Returns the current task. Only this object has the parts of an artifact that are not saved yet.
   */
  private StoredTask load() {
    StoredTask known = stored;
    StoredTask saved = store.find(id);
    if (saved == null) {
      throw Errors.taskNotFound(id);
    } else if (turn == null || known == null) {
      stored = saved;
      return saved;
    } else if (saved.version() > known.version()) {
      adopt(saved);
      return saved;
    }
    return known;
  }

  /** Adopts the state that another server has saved. */
  private void adopt(StoredTask newer) {
    stored = newer;
    if (newer.task().state().isTerminal()) {
      endedElsewhere = true;
      send(new TaskStatusUpdateEvent(id, newer.task().contextId(), newer.task().status(), null));
    }
  }

  /** Saves a changed task. Repeats the change if another server has changed the task. */
  private StoredTask change(StoredTask known, UnaryOperator<Task> change) {
    StoredTask from = known;
    for (int i = 0; i < ATTEMPTS; i++) {
      requireOpen(from.task());
      Task changed = change.apply(from.task());
      StoredTask next = from.with(changed);
      if (store.save(next)) {
        stored = next.saved();
        return stored;
      }
      StoredTask newer = store.find(id);
      if (newer == null) {
        throw new CancellationException("the store has forgotten the task " + id);
      }
      from = newer;
      adopt(newer);
    }
    throw new IllegalStateException("the task " + id + " was not saved, since other servers changed"
        + " it during " + ATTEMPTS + " attempts");
  }

  // ---------------------------------------------------------------- subscribers

  /** Adds the subscriber of a turn without a task. */
  void add(Subscriber subscriber) {
    lock.lock();
    try {
      subscribers.add(subscriber);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds a subscriber. Its first event is the current task (section 3.1.6).
   *
   * @param check throws an exception to refuse the subscriber
   */
  void subscribe(Subscriber subscriber, UnaryOperator<Task> check) {
    lock.lock();
    try {
      Task task = check.apply(load().task());
      if (subscriber.send(task)) {
        subscribers.add(subscriber);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends all streams. If a turn works on the task, they end after the turn. */
  void closing() {
    lock.lock();
    try {
      if (turn == null) {
        endStreams();
      } else {
        closing = true;
      }
    } finally {
      lock.unlock();
    }
  }

  private void endStreams() {
    closing = false;
    subscribers.forEach(Subscriber::closing);
    subscribers.clear();
  }

  /** Removes a subscriber. Never blocks, because threads that read connections call this method. */
  void remove(Subscriber subscriber) {
    subscribers.remove(subscriber);
  }

  /** Sends an event to all subscribers. The event does not change the task, or is already saved. */
  void tell(StreamResponse event) {
    lock.lock();
    try {
      send(event);
    } finally {
      lock.unlock();
    }
  }

  private void send(StreamResponse event) {
    subscribers.removeIf(subscriber -> !subscriber.send(event));
  }

  List<Subscriber> subscribers() {
    lock.lock();
    try {
      return new ArrayList<>(subscribers);
    } finally {
      lock.unlock();
    }
  }
}

package dev.repartee.a2a.server;

import dev.repartee.a2a.types.ListTasksResponse;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.types.TaskStatus;
import dev.repartee.a2a.types.TaskStatusUpdateEvent;
import dev.repartee.a2a.wire.Errors;
import dev.repartee.a2a.wire.PageToken;
import dev.repartee.a2a.wire.TaskSize;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.limits.ClientShares;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps tasks in the memory of this process. The clients share the store as {@link ClientShares}
 * describes. At a limit the store deletes ended tasks of the client that uses most of it, then
 * tasks of this client that wait for input. The unfinished tasks of one client may use at most half
 * of the store. If no task can be deleted, the store refuses a new or longer task with the error
 * -32000. A client cannot continue a deleted task.
 *
 * <p>The store cancels a task that waits for its client for too long, 10 minutes by default. Each
 * message of the client restarts this time. Thread-safe.
 */
public final class MemoryTaskStore implements TaskStore {
  /** The default maximum number of tasks. */
  public static final int TASKS = 10_000;

  /** The default maximum of the estimated memory for tasks, in bytes. */
  public static final long BYTES = Math.max(16 << 20, Runtime.getRuntime().maxMemory() / 8);

  /** The maximum estimated memory of a page in bytes; its last task may exceed it. */
  private static final long PAGE_BYTES = 4 << 20;

  /** The default time for which a task waits for its client. */
  public static final Duration INPUT_TIME = Duration.ofMinutes(10);

  private final int maxTasks;
  private final long maxBytes;
  private final Duration inputTime;
  private final Clock clock;

  /** Guarded by this, as all fields below. */
  private final Map<String, Entry> tasks = new HashMap<>();

  /** The same tasks in the order of lists. */
  private final TreeMap<PageToken, Entry> ordered = new TreeMap<>(PageToken.ORDER);

  /** The tasks that wait for their clients with the time of their last change, oldest first. */
  private final Map<String, Long> waiting = new LinkedHashMap<>();

  private final ClientShares shares;

  /** The last events of tasks that the store has ended, for the listeners. */
  private final Deque<TaskStatusUpdateEvent> ended = new ArrayDeque<>();

  private boolean timed; // whether a timer for the waiting tasks is set

  private final List<Consumer<TaskStatusUpdateEvent>> listeners = new CopyOnWriteArrayList<>();

  private record Entry(StoredTask stored, PageToken place, long bytes) {}

  /** Creates a store with the default limits. */
  public MemoryTaskStore() {
    this(TASKS, BYTES);
  }

  /**
   * Creates a store with the default {@link #INPUT_TIME}.
   *
   * @param maxTasks the maximum number of tasks
   * @param maxBytes the maximum estimated memory of all tasks in bytes
   */
  public MemoryTaskStore(int maxTasks, long maxBytes) {
    this(maxTasks, maxBytes, INPUT_TIME);
  }

  /**
   * Creates a store.
   *
   * @param maxTasks the maximum number of tasks
   * @param maxBytes the maximum estimated memory of all tasks in bytes
   * @param inputTime the maximum time for which a task waits for its client; then it is cancelled
   */
  public MemoryTaskStore(int maxTasks, long maxBytes, Duration inputTime) {
    this(maxTasks, maxBytes, inputTime, Clock.SYSTEM);
  }

  /** Creates a store; {@code clock} is the clock of the waiting times. */
  MemoryTaskStore(int maxTasks, long maxBytes, Duration inputTime, Clock clock) {
    if (maxTasks < 1 || maxBytes < 1) {
      throw new IllegalArgumentException(
          "maxTasks and maxBytes have to be at least 1, not " + maxTasks + " and " + maxBytes);
    }
    this.maxTasks = maxTasks;
    this.maxBytes = maxBytes;
    this.inputTime = inputTime;
    this.clock = clock;
    this.shares = new ClientShares(maxTasks, maxBytes);
  }

  /**
   * {@inheritDoc} These are the tasks that wait for their clients when the store cancels or deletes
   * them. The store does not hold its own lock while it calls the listener, but its caller may hold
   * other locks. Therefore the listener must not acquire a lock.
   */
  @Override
  public void onEnd(Consumer<TaskStatusUpdateEvent> listener) {
    listeners.add(listener);
  }

  /** Expires tasks and performs an operation under the lock, then notifies the listeners. */
  private <T extends @Nullable Object> T locked(Supplier<T> operation) {
    try {
      synchronized (this) {
        expire();
        return operation.get();
      }
    } finally {
      for (TaskStatusUpdateEvent event = ended(); event != null; event = ended()) {
        TaskStatusUpdateEvent last = event;
        listeners.forEach(listener -> listener.accept(last));
      }
    }
  }

  private synchronized @Nullable TaskStatusUpdateEvent ended() {
    return ended.poll();
  }

  @Override
  public @Nullable StoredTask find(String id) {
    return locked(() -> {
      Entry entry = tasks.get(id);
      return entry == null ? null : entry.stored;
    });
  }

  @Override
  public boolean save(StoredTask changed) {
    return locked(() -> saved(changed));
  }

  private boolean saved(StoredTask changed) {
    Entry before = tasks.get(changed.task().id());
    if ((before == null ? 0 : before.stored.version()) != changed.version()) {
      return false;
    }
    Entry entry = next(changed);
    makeRoom(entry);
    replace(entry);
    return true;
  }

  private static Entry next(StoredTask changed) {
    StoredTask saved = changed.saved();
    return new Entry(saved, PageToken.of(saved.task()), TaskSize.of(saved.task()));
  }

  private void makeRoom(Entry entry) {
    Task task = entry.stored.task();
    ClientShares.Bound full =
        shares.makeRoom(task.id(), entry.stored.share(), entry.bytes, use(task), this::evict);
    if (full != null && !task.state().isTerminal()) { // the end of a task must not be lost
      throw full == ClientShares.Bound.ENTRIES
          ? Errors.busy("tasks", maxTasks)
          : Errors.busy("taskBytes", maxBytes);
    }
  }

  private void replace(Entry entry) {
    Task task = entry.stored.task();
    forget(task.id());
    tasks.put(task.id(), entry);
    ordered.put(entry.place, entry);
    shares.put(task.id(), entry.stored.share(), entry.bytes, use(task));
    if (use(task) == ClientShares.Use.WAITING) {
      waiting.put(task.id(), clock.nanos());
      time();
    }
  }

  private static ClientShares.Use use(Task task) {
    return task.state().isTerminal()
        ? ClientShares.Use.ENDED
        : task.state().isInterrupted() ? ClientShares.Use.WAITING : ClientShares.Use.RUNNING;
  }

  /** Deletes a task to make room. If the task waits for its client, it ends. */
  private void evict(String id) {
    Entry entry = tasks.get(id);
    if (entry != null && use(entry.stored.task()) == ClientShares.Use.WAITING) {
      ended.add(cancelled(
          entry.stored.task(), "The agent has no memory left for tasks that wait for a message."));
    }
    forget(id);
  }

  private static TaskStatusUpdateEvent cancelled(Task task, String reason) {
    Message message = Message.agent(reason).in(task.contextId(), task.id());
    TaskStatus status = new TaskStatus(TaskState.CANCELED, message, LiveTask.now());
    return new TaskStatusUpdateEvent(task.id(), task.contextId(), status, null);
  }

  private void forget(String id) {
    Entry entry = tasks.remove(id);
    if (entry != null) {
      ordered.remove(entry.place);
      waiting.remove(id);
      shares.remove(id);
    }
  }

  /** Cancels the tasks that have waited for their clients for too long. */
  private void expire() {
    long now = clock.nanos();
    while (!waiting.isEmpty()) {
      Map.Entry<String, Long> oldest = waiting.entrySet().iterator().next();
      Entry entry = tasks.get(oldest.getKey());
      if (now - oldest.getValue() < inputTime.toNanos() || entry == null) {
        return;
      }
      Task task = entry.stored.task();
      TaskStatusUpdateEvent last =
          cancelled(task, "No message arrived within " + inputTime.toSeconds() + " s.");
      ended.add(last);
      replace(next(entry.stored.with(task.after(last))));
    }
  }

  /**
   * Sets a timer for the task that waits longest, so that tasks also expire without calls of the
   * store.
   */
  private void time() {
    if (timed || waiting.isEmpty()) {
      return;
    }
    timed = true;
    long waited = clock.nanos() - waiting.values().iterator().next();
    // One timer for all tasks that began to wait in the same millisecond.
    Duration left = inputTime.minusNanos(waited).plusMillis(1);
    WeakReference<MemoryTaskStore> store = new WeakReference<>(this);
    clock.schedule(left, Threads.CALLS, () -> {
      MemoryTaskStore alive = store.get();
      if (alive != null) {
        alive.locked(alive::timeAgain);
      }
    });
  }

  private boolean timeAgain() {
    timed = false;
    time();
    return timed;
  }

  @Override
  public ListTasksResponse list(Query query) {
    return locked(() -> page(query));
  }

  private ListTasksResponse page(Query query) {
    PageToken after = query.pageToken() == null ? null : PageToken.parse(query.pageToken());
    List<Task> page = new ArrayList<>();
    PageToken last = null;
    int total = 0;
    long pageBytes = 0;
    boolean more = false;
    for (Entry entry : ordered.values()) {
      if (!query.matches(entry.stored)) {
        continue;
      }
      total++;
      if (after != null && PageToken.ORDER.compare(entry.place, after) <= 0) {
        continue;
      }
      if (!more && page.size() < query.pageSize() && pageBytes < PAGE_BYTES) {
        page.add(entry.stored.task());
        pageBytes += entry.bytes;
        last = entry.place;
      } else {
        more = true;
      }
    }
    return new ListTasksResponse(
        page, more && last != null ? last.text() : "", query.pageSize(), total);
  }
}

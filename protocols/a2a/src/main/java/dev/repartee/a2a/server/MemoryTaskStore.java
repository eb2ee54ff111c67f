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
import dev.repartee.limits.ClientShares;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps tasks in the memory of this process. The clients share the store, as {@link ClientShares}
 * describes: at a limit the store forgets ended tasks of the client that uses most of it, then
 * tasks of this client that wait for input. The unfinished tasks of one client use half of the
 * store at most. If nothing can be forgotten, the store refuses a new or longer task with the error
 * -32000. A client cannot continue a forgotten task.
 *
 * <p>The store cancels a task that waits for its client for too long, 10 minutes by default. Each
 * message of the client begins this time anew. Thread-safe.
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
  private final LongSupplier nanoTime;

  /** Guarded by this, as all fields below. */
  private final Map<String, Entry> tasks = new HashMap<>();

  /** The same tasks in the order of lists. */
  private final TreeMap<PageToken, Entry> ordered = new TreeMap<>(PageToken.ORDER);

  /** The tasks that wait for their clients with the time of their last change, oldest first. */
  private final Map<String, Long> waiting = new LinkedHashMap<>();

  private final ClientShares shares;

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
    this(maxTasks, maxBytes, inputTime, System::nanoTime);
  }

  /** {@code nanoTime} is the clock of the waiting times. */
  MemoryTaskStore(int maxTasks, long maxBytes, Duration inputTime, LongSupplier nanoTime) {
    if (maxTasks < 1 || maxBytes < 1) {
      throw new IllegalArgumentException(
          "maxTasks and maxBytes have to be at least 1, not " + maxTasks + " and " + maxBytes);
    }
    this.maxTasks = maxTasks;
    this.maxBytes = maxBytes;
    this.inputTime = inputTime;
    this.nanoTime = nanoTime;
    this.shares = new ClientShares(maxTasks, maxBytes);
  }

  @Override
  public synchronized @Nullable StoredTask find(String id) {
    expire();
    Entry entry = tasks.get(id);
    return entry == null ? null : entry.stored;
  }

  @Override
  public synchronized boolean save(StoredTask changed) {
    expire();
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
        shares.makeRoom(task.id(), entry.stored.share(), entry.bytes, use(task), this::forget);
    if (full != null && !task.state().isTerminal()) { // an end must not be lost
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
      waiting.put(task.id(), nanoTime.getAsLong());
    }
  }

  private static ClientShares.Use use(Task task) {
    return task.state().isTerminal()
        ? ClientShares.Use.ENDED
        : task.state().isInterrupted() ? ClientShares.Use.WAITING : ClientShares.Use.RUNNING;
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
    long now = nanoTime.getAsLong();
    while (!waiting.isEmpty()) {
      Map.Entry<String, Long> oldest = waiting.entrySet().iterator().next();
      Entry entry = tasks.get(oldest.getKey());
      if (now - oldest.getValue() < inputTime.toNanos() || entry == null) {
        return;
      }
      Task task = entry.stored.task();
      Message reason = Message.agent("No message arrived within " + inputTime.toSeconds() + " s.")
          .in(task.contextId(), task.id());
      TaskStatus status = new TaskStatus(TaskState.CANCELED, reason, LiveTask.now());
      replace(next(entry.stored.with(
          task.after(new TaskStatusUpdateEvent(task.id(), task.contextId(), status, null)))));
    }
  }

  @Override
  public synchronized ListTasksResponse list(Query query) {
    expire();
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

package dev.repartee.a2a.server;

import dev.repartee.a2a.types.Artifact;
import dev.repartee.a2a.types.ListTasksResponse;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Part;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.wire.Errors;
import dev.repartee.a2a.wire.PageToken;
import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps tasks in the memory of this process. At a limit, the store forgets the oldest ended tasks.
 * If there are none, it refuses a new or longer task with the error -32000. Thread-safe.
 */
public final class MemoryTaskStore implements TaskStore {
  /** The default maximum number of tasks. */
  public static final int TASKS = 10_000;

  /** The default maximum of the estimated memory for tasks, in bytes. */
  public static final long BYTES = Math.max(16 << 20, Runtime.getRuntime().maxMemory() / 8);

  /** The maximum estimated memory of a page in bytes; its last task may exceed it. */
  private static final long PAGE_BYTES = 4 << 20;

  /** The estimated memory of an object with a few strings. */
  private static final int OBJECT = 200;

  /** The estimated memory of a string without its characters. */
  private static final int TEXT = 50;

  private final int maxTasks;
  private final long maxBytes;

  /** Guarded by this, as all fields below. */
  private final Map<String, Entry> tasks = new HashMap<>();

  /** The same tasks in the order of lists. */
  private final TreeMap<PageToken, Entry> ordered = new TreeMap<>(PageToken.ORDER);

  private long bytes;

  private record Entry(StoredTask stored, PageToken place, long bytes) {}

  /** Creates a store with the default limits. */
  public MemoryTaskStore() {
    this(TASKS, BYTES);
  }

  /**
   * Creates a store.
   *
   * @param maxTasks the maximum number of tasks
   * @param maxBytes the maximum estimated memory of all tasks in bytes
   */
  public MemoryTaskStore(int maxTasks, long maxBytes) {
    if (maxTasks < 1 || maxBytes < 1) {
      throw new IllegalArgumentException(
          "maxTasks and maxBytes have to be at least 1, not " + maxTasks + " and " + maxBytes);
    }
    this.maxTasks = maxTasks;
    this.maxBytes = maxBytes;
  }

  @Override
  public synchronized @Nullable StoredTask find(String id) {
    Entry entry = tasks.get(id);
    return entry == null ? null : entry.stored;
  }

  @Override
  public synchronized boolean save(StoredTask changed) {
    Entry before = tasks.get(changed.task().id());
    if ((before == null ? 0 : before.stored.version()) != changed.version()) {
      return false;
    }
    StoredTask saved = new StoredTask(changed.task(), changed.owner(), changed.version() + 1);
    Entry entry = new Entry(saved, PageToken.of(saved.task()), size(saved.task()));
    makeRoom(before, entry);
    remove(before);
    tasks.put(saved.task().id(), entry);
    ordered.put(entry.place, entry);
    bytes += entry.bytes;
    return true;
  }

  private void remove(@Nullable Entry entry) {
    if (entry != null) {
      tasks.remove(entry.stored.task().id());
      ordered.remove(entry.place);
      bytes -= entry.bytes;
    }
  }

  /** Forgets old tasks until the new entry fits in place of the old entry. */
  private void makeRoom(@Nullable Entry before, Entry entry) {
    if (fits(before, entry)) {
      return;
    }
    Iterator<Entry> oldest = new ArrayList<>(ordered.descendingMap().values()).iterator();
    while (!fits(before, entry) && oldest.hasNext()) {
      Entry old = oldest.next();
      if (old != before && old.stored.task().state().isTerminal()) {
        remove(old);
      }
    }
    boolean ends = entry.stored.task().state().isTerminal(); // an end must not be lost
    if (!fits(before, entry) && !ends) {
      throw tasks.size() >= maxTasks
          ? Errors.busy("tasks", maxTasks)
          : Errors.busy("taskBytes", maxBytes);
    }
  }

  private boolean fits(@Nullable Entry before, Entry entry) {
    long freed = before == null ? 0 : before.bytes;
    return tasks.size() + (before == null ? 1 : 0) <= maxTasks
        && bytes - freed + entry.bytes <= maxBytes;
  }

  @Override
  public synchronized ListTasksResponse list(Query query) {
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

  // ---------------------------------------------------------------- estimates of memory

  private static long size(Task task) {
    long size = OBJECT
        + length(task.id(), task.contextId())
        + length(task.metadata())
        + size(task.status().message());
    for (Message message : task.history()) {
      size += size(message);
    }
    for (Artifact artifact : task.artifacts()) {
      size += OBJECT
          + length(artifact.artifactId(), artifact.name(), artifact.description())
          + length(artifact.metadata())
          + texts(artifact.extensions())
          + size(artifact.parts());
    }
    return size;
  }

  private static long size(@Nullable Message message) {
    return message == null
        ? 0
        : OBJECT
            + length(message.messageId(), message.contextId(), message.taskId())
            + length(message.metadata())
            + texts(message.extensions())
            + texts(message.referenceTaskIds())
            + size(message.parts());
  }

  private static long length(@Nullable String... texts) {
    long length = 0;
    for (String text : texts) {
      length += text == null ? 0 : text.length();
    }
    return length;
  }

  private static long length(@Nullable Json json) {
    return json == null ? 0 : json.length();
  }

  private static long texts(List<String> texts) {
    long size = 0;
    for (String text : texts) {
      size += TEXT + text.length();
    }
    return size;
  }

  private static long size(List<Part> parts) {
    long size = 0;
    for (Part part : parts) {
      size += OBJECT / 2 + length(part.filename(), part.mediaType()) + length(part.metadata());
      if (part instanceof Part.Text text) {
        size += text.text().length();
      } else if (part instanceof Part.Raw file) {
        size += file.raw().length;
      } else if (part instanceof Part.Url file) {
        size += file.url().length();
      } else if (part instanceof Part.Data data) {
        size += data.data().length();
      }
    }
    return size;
  }
}

package dev.repartee.a2a.client;

import dev.repartee.ProtocolException;
import dev.repartee.a2a.types.StreamResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.wire.TaskSize;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.MemoryBudget;
import org.jspecify.annotations.Nullable;

/**
 * Collects the task from the events of a stream, and counts the memory of the stream. A task that
 * exceeds a limit is dropped until the agent sends a complete task again. One thread adds events;
 * any thread may release the memory.
 */
final class StreamedTask {
  /** The maximum memory of a task, as a multiple of the maximum size of one event. */
  private static final int MULTIPLE = 4;

  /** A stream with up to this many bytes is not charged to the budget. */
  private static final int FREE = 64 << 10;

  private final int frameBytes;
  private @Nullable Task task;

  /** The estimated memory of the task in bytes. */
  private long bytes;

  /** The bytes of the stream that have arrived since its last complete event. */
  private long partial;

  /** The limit that the task exceeds, or null. */
  private @Nullable String excess;

  private final MemoryBudget.Share share; // guarded by this
  private boolean released; // guarded by this

  StreamedTask(int frameBytes, MemoryBudget budget) {
    this.frameBytes = frameBytes;
    this.share = budget.share(FREE);
  }

  /** Returns the task; null if the agent has not sent it, or if it exceeds a limit. */
  @Nullable Task task() {
    return task;
  }

  /**
   * Reserves memory for more bytes of an event, and for the event that will be parsed from them.
   * Drops the task if necessary.
   *
   * @throws LimitException if the budget has no room for the event alone
   */
  void arrived(int more) {
    partial += more;
    boolean fits = hold(bytes + 2 * partial) || task != null && drop(refusal().getMessage());
    if (!fits) {
      throw refusal();
    }
  }

  /** Marks the end of an event that has arrived. */
  void eventArrived() {
    partial = 0;
  }

  /** Adds an event to the task, or replaces the task. */
  void add(StreamResponse event) {
    if (event instanceof Task known) {
      replace(known);
    } else if (task != null) {
      keep(task.after(event), bytes + TaskSize.of(event));
    }
  }

  /** Replaces the task by its current state. */
  void replace(Task present) {
    excess = null;
    keep(present, TaskSize.of(present));
  }

  private void keep(Task changed, long size) {
    if (size > (long) MULTIPLE * frameBytes) {
      drop("more than " + MULTIPLE + " times the limit frameBytes of " + frameBytes + " allows");
    } else if (!hold(size + 2 * partial)) {
      drop(refusal().getMessage());
    } else {
      task = changed;
      bytes = size;
    }
  }

  private boolean drop(@Nullable String why) {
    excess = why;
    task = null;
    bytes = 0;
    return hold(2 * partial);
  }

  /** Throws the exception for a task that exceeds a limit. */
  void requireKept(@Nullable String id) {
    if (excess != null) {
      throw new ProtocolException("the events of the task " + id + " are too large together: "
          + excess + "; read the events one by one, or raise the limit");
    }
  }

  private synchronized boolean hold(long size) {
    return released || share.hold(size);
  }

  private synchronized LimitException refusal() {
    return share.refusal();
  }

  /** Releases the memory at the end of the stream. */
  synchronized void release() {
    released = true;
    share.hold(0);
  }
}

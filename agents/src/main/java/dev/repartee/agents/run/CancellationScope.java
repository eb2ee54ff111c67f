package dev.repartee.agents.run;

import dev.repartee.agents.Failure;
import dev.repartee.agents.internal.Workers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The cancellation of a run, a step or an attempt. The stops form a tree: stopping a node also
 * stops its descendants. Thread-safe. Actions run without a lock, since they may complete futures.
 */
final class Stop {
  private final @Nullable Stop parent;

  // Guarded by this.
  private final Set<Stop> children = new LinkedHashSet<>(2);
  private final List<Runnable> actions = new ArrayList<>(2);
  private @Nullable Failure reason;
  private @Nullable Future<?> timer;

  Stop() {
    this(null);
  }

  private Stop(@Nullable Stop parent) {
    this.parent = parent;
  }

  /** Adds a child until its {@link #end}. The child of a stopped node is stopped, too. */
  Stop child() {
    Stop child = new Stop(this);
    Failure known;
    synchronized (this) {
      known = reason;
      if (known == null) {
        children.add(child);
      }
    }
    if (known != null) {
      child.stop(known);
    }
    return child;
  }

  /** Returns the reason for the stop; null if this node is not stopped. */
  synchronized @Nullable Failure reason() {
    return reason;
  }

  /** Stops this node and its descendants. Does nothing if this node is stopped already. */
  void stop(Failure why) {
    List<Stop> below;
    List<Runnable> due;
    synchronized (this) {
      if (reason != null) {
        return;
      }
      reason = why;
      below = List.copyOf(children);
      due = List.copyOf(actions);
      children.clear();
      actions.clear();
    }
    below.forEach(child -> child.stop(why));
    due.forEach(Runnable::run);
  }

  /** Stops this node after a time, unless it {@linkplain #end ends} before. One call only. */
  void stopAfter(Duration limit, Failure why) {
    Future<?> started = Workers.after(limit, () -> stop(why));
    synchronized (this) {
      timer = started;
    }
  }

  /**
   * Runs an action when this node is stopped; at once if it is. The action must not block or throw.
   */
  void whenStopped(Runnable action) {
    synchronized (this) {
      if (reason == null) {
        actions.add(action);
        return;
      }
    }
    action.run();
  }

  /** Ends the work of this node: cancels its timer, and drops its actions to free their memory. */
  void end() {
    if (parent != null) {
      parent.forget(this);
    }
    synchronized (this) {
      actions.clear();
      if (timer != null) {
        timer.cancel(false);
      }
    }
  }

  private synchronized void forget(Stop child) {
    children.remove(child);
  }
}

package dev.repartee.agents.run;

import dev.repartee.agents.Failure;
import dev.repartee.agents.internal.Workers;
import dev.repartee.internal.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The scope of a cancellation: a run, a step or an attempt. The scopes form a tree: cancelling a
 * scope also cancels its descendants. Thread-safe. Actions run without a lock, since they may
 * complete futures.
 */
final class CancellationScope {
  private final @Nullable CancellationScope parent;
  private final Clock clock;

  // Guarded by this.
  private final Set<CancellationScope> children = new LinkedHashSet<>(2);
  private final List<Runnable> actions = new ArrayList<>(2);
  private @Nullable Failure reason;
  private Clock.@Nullable Timer timer;

  /** Creates the scope of a run. */
  CancellationScope(Clock clock) {
    this(null, clock);
  }

  private CancellationScope(@Nullable CancellationScope parent, Clock clock) {
    this.parent = parent;
    this.clock = clock;
  }

  /** Returns the clock of the time limits and pauses in this scope. */
  Clock clock() {
    return clock;
  }

  /** Adds a child until its {@link #end}. The child of a cancelled scope is cancelled, too. */
  CancellationScope child() {
    CancellationScope child = new CancellationScope(this, clock);
    Failure known;
    synchronized (this) {
      known = reason;
      if (known == null) {
        children.add(child);
      }
    }
    if (known != null) {
      child.cancel(known);
    }
    return child;
  }

  /** Returns the reason for the cancellation; null if this scope is not cancelled. */
  synchronized @Nullable Failure reason() {
    return reason;
  }

  /** Cancels this scope and its descendants. Does nothing if this scope is cancelled already. */
  void cancel(Failure why) {
    List<CancellationScope> below;
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
    below.forEach(child -> child.cancel(why));
    due.forEach(Runnable::run);
  }

  /**
   * Cancels this scope after a time, unless it {@linkplain #end ends} first. May be called once.
   */
  void cancelAfter(Duration limit, Failure why) {
    Clock.Timer started = clock.schedule(limit, Workers.ALL, () -> cancel(why));
    synchronized (this) {
      timer = started;
    }
  }

  /**
   * Runs an action when this scope is cancelled; immediately if it is cancelled already. The action
   * must not block or throw.
   */
  void onCancel(Runnable action) {
    synchronized (this) {
      if (reason == null) {
        actions.add(action);
        return;
      }
    }
    action.run();
  }

  /** Ends the work of this scope: cancels its timer, and drops its actions to free their memory. */
  void end() {
    if (parent != null) {
      parent.forget(this);
    }
    synchronized (this) {
      actions.clear();
      if (timer != null) {
        timer.cancel();
      }
    }
  }

  private synchronized void forget(CancellationScope child) {
    children.remove(child);
  }
}

package dev.repartee.agents.run;

import dev.repartee.agents.Failure;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The cancellation of a run or of a part of it. Stopping one stops all below it. Thread-safe; no
 * action runs under a lock.
 */
final class Stop {
  private final @Nullable Stop parent;

  // Guarded by this.
  private final Set<Stop> children = new LinkedHashSet<>(2);
  private final List<Runnable> actions = new ArrayList<>(2);
  private @Nullable Failure reason;

  Stop() {
    this(null);
  }

  private Stop(@Nullable Stop parent) {
    this.parent = parent;
  }

  /** Returns a part; it is stopped already if this is. {@link #end} forgets it. */
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

  /** Returns the reason why this was stopped; null if it was not. */
  synchronized @Nullable Failure reason() {
    return reason;
  }

  /** Stops this and everything below. Only the first reason counts. */
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

  /** Runs an action when this is stopped, at once if it was. The action must not block or throw. */
  void whenStopped(Runnable action) {
    synchronized (this) {
      if (reason == null) {
        actions.add(action);
        return;
      }
    }
    action.run();
  }

  /** Ends the part of the run: nothing is left to stop. */
  void end() {
    if (parent != null) {
      parent.forget(this);
    }
    synchronized (this) {
      actions.clear();
    }
  }

  private synchronized void forget(Stop child) {
    children.remove(child);
  }
}

package dev.repartee.dap;

import dev.repartee.dap.types.ProgressEndEvent;
import dev.repartee.dap.types.ProgressUpdateEvent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A long operation of an adapter that the client shows; {@link DapSession#progress} starts it.
 * {@link #close} reports the end, even after a cancellation:
 *
 * <pre>{@code
 * try (Progress progress = session.progress("Reading symbols")) {
 *   for (Module module : modules) {
 *     if (progress.isCancelled()) {
 *       break;
 *     }
 *     progress.update(module.name(), null);
 *   }
 * }
 * }</pre>
 *
 * <p>Sends nothing if the client does not support progress. Thread-safe.
 */
public final class Progress implements AutoCloseable {
  private final DapSession session;
  private final String id;
  private final boolean shown;
  private @Nullable List<Runnable> actions = new ArrayList<>(2); // null once cancelled
  private boolean closed;

  Progress(DapSession session, String id, boolean shown) {
    this.session = session;
    this.id = id;
    this.shown = shown;
  }

  /** Returns the id in the events. */
  public String id() {
    return id;
  }

  /**
   * Reports a step.
   *
   * @param message the details; null keeps the last one
   * @param percentage from 0 to 100; null if it is unknown
   */
  public void update(@Nullable String message, @Nullable Double percentage) {
    if (shown && !isClosed()) {
      session.client().progressUpdate(new ProgressUpdateEvent(id, message, percentage));
    }
  }

  /** Returns whether the client has cancelled the operation. */
  public synchronized boolean isCancelled() {
    return actions == null;
  }

  /**
   * Runs an action when the client cancels the operation. It runs on the thread that reads the
   * connection and must not block. Runs it immediately if the operation is already cancelled.
   */
  public void onCancel(Runnable action) {
    synchronized (this) {
      if (actions != null) {
        actions.add(action);
        return;
      }
    }
    action.run();
  }

  void cancel() {
    List<Runnable> all;
    synchronized (this) {
      all = actions == null ? List.of() : actions;
      actions = null;
    }
    for (Runnable each : all) {
      try {
        each.run();
      } catch (RuntimeException e) {
        // The other actions must still run.
      }
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /** Reports the end of the operation, once. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    session.ended(this);
    if (shown) {
      session.client().progressEnd(new ProgressEndEvent(id));
    }
  }
}

package dev.repartee.lsp;

import dev.repartee.json.Json;
import dev.repartee.limits.LimitException;
import dev.repartee.lsp.types.ProgressParams;
import dev.repartee.lsp.types.ProgressToken;
import dev.repartee.lsp.types.WorkDoneProgressBegin;
import dev.repartee.lsp.types.WorkDoneProgressEnd;
import dev.repartee.lsp.types.WorkDoneProgressReport;
import dev.repartee.transport.DisconnectedException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The progress of work, as the client shows it: it begins, is reported any number of times, and
 * ends. {@link LspSession} makes it.
 *
 * <pre>{@code
 * try (WorkDoneProgress progress = session.progress(call)) {
 *   progress.begin(new WorkDoneProgressBegin("Indexing").withCancellable(true));
 *   progress.report("a.txt", 50);
 * }
 * }</pre>
 *
 * <p>Thread-safe. If the client shows no progress, all methods do nothing. Messages after the
 * answer of a request, or to a client that has disconnected, are dropped.
 */
public final class WorkDoneProgress implements AutoCloseable {
  private enum State {
    NEW,
    BEGUN,
    ENDED
  }

  private final @Nullable LspSession session;
  private final ProgressToken token;
  private final Consumer<ProgressParams> sender;

  // Guarded by this.

  private State state = State.NEW;
  private int percentage;

  /** The actions for the cancellation; null once cancelled or ended. */
  private @Nullable List<Runnable> actions = new ArrayList<>(1);

  private boolean cancelled;

  WorkDoneProgress(
      @Nullable LspSession session, ProgressToken token, Consumer<ProgressParams> sender) {
    this.session = session;
    this.token = token;
    this.sender = sender;
  }

  /** Returns a progress that sends nothing. */
  static WorkDoneProgress none() {
    return new WorkDoneProgress(null, ProgressToken.of(""), params -> {});
  }

  /** Returns the token of this progress; an empty string if the client shows no progress. */
  public ProgressToken token() {
    return token;
  }

  /** Begins with a title; see {@link #begin(WorkDoneProgressBegin)}. */
  public void begin(String title) {
    begin(new WorkDoneProgressBegin(title));
  }

  /**
   * Begins the progress.
   *
   * @param begin a percentage shows a progress bar; without it, clients ignore later percentages.
   *     {@code cancellable} shows a button that cancels
   * @throws IllegalStateException if the progress has begun before
   */
  public void begin(WorkDoneProgressBegin begin) {
    synchronized (this) {
      if (state != State.NEW) {
        throw new IllegalStateException("the progress has begun before");
      }
      state = State.BEGUN;
      percentage = begin.percentage() == null ? 0 : begin.percentage();
    }
    if (session != null) {
      session.begun(token, this);
    }
    send(begin);
  }

  /** Reports with the same title; see {@link #report(WorkDoneProgressReport)}. */
  public void report(@Nullable String message, @Nullable Integer percentage) {
    report(new WorkDoneProgressReport().withMessage(message).withPercentage(percentage));
  }

  /**
   * Reports the state of the work. Does nothing after the end. A percentage below an earlier one is
   * replaced by the earlier one, since percentages should rise in LSP.
   *
   * @throws IllegalStateException if the progress has not begun
   */
  public void report(WorkDoneProgressReport report) {
    WorkDoneProgressReport sent = report;
    synchronized (this) {
      if (state == State.NEW) {
        throw new IllegalStateException("the progress has not begun");
      }
      if (state == State.ENDED) {
        return;
      }
      if (report.percentage() != null) {
        percentage = Math.min(100, Math.max(percentage, report.percentage()));
        sent = report.withPercentage(percentage);
      }
    }
    send(sent);
  }

  /** Ends the progress with a message. Does nothing if it has not begun, or has ended. */
  public void end(@Nullable String message) {
    boolean begun;
    synchronized (this) {
      begun = state == State.BEGUN;
      state = State.ENDED;
    }
    forget();
    if (begun) {
      send(new WorkDoneProgressEnd(message));
    }
  }

  /** Ends the progress without a message. */
  @Override
  public void close() {
    end(null);
  }

  /** Returns whether the client has cancelled the progress. It must still be ended. */
  public synchronized boolean isCancelled() {
    return cancelled;
  }

  /**
   * Runs an action when the client cancels the progress; immediately if it has done so already. The
   * action runs on the thread of the notification, and must not block. Dropped when the progress
   * ends.
   */
  public void onCancel(Runnable action) {
    synchronized (this) {
      if (actions != null) {
        actions.add(action);
        return;
      }
      if (!cancelled) {
        return;
      }
    }
    action.run();
  }

  void cancel() {
    List<Runnable> due;
    synchronized (this) {
      if (actions == null) {
        return;
      }
      cancelled = true;
      due = actions;
      actions = null;
    }
    due.forEach(Runnable::run);
  }

  /** Ensures that the client can no longer cancel the progress. */
  void forget() {
    if (session != null) {
      session.ended(token, this);
    }
    synchronized (this) {
      actions = null;
    }
  }

  private void send(Object value) {
    if (session == null) {
      return;
    }
    try {
      sender.accept(new ProgressParams(token, Json.of(value)));
    } catch (DisconnectedException | LimitException e) {
      // The client has disconnected, or does not read.
    }
  }
}

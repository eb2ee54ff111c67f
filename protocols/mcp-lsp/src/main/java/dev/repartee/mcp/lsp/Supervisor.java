package dev.repartee.mcp.lsp;

import dev.repartee.internal.Threads;
import dev.repartee.mcp.types.ToolException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a language server running: starts it again when a call needs it and it has ended, at most
 * {@value #RESTARTS} times in three minutes. All calls that wait share one start. Thread-safe.
 */
final class Supervisor implements AutoCloseable {
  /** The rule of the LSP specification for clients. */
  static final int RESTARTS = 5;

  static final Duration WINDOW = Duration.ofSeconds(180);

  private final Starter starter;
  private final LongSupplier clock;

  // Guarded by this. The lock is not held while a server starts.
  private final Deque<Long> restarts = new ArrayDeque<>();
  private @Nullable Session session;
  private @Nullable CompletableFuture<Session> start;
  private boolean closed;

  /** Starts a language server. */
  @FunctionalInterface
  interface Starter {
    /** Waits until the server is initialized. */
    Session start() throws IOException;
  }

  /** {@code clock} returns nanoseconds. */
  Supervisor(Starter starter, LongSupplier clock) {
    this.starter = starter;
    this.clock = clock;
  }

  /**
   * Starts the server for the first time.
   *
   * @throws IOException if it cannot be started
   */
  void start() throws IOException {
    Session first = starter.start();
    synchronized (this) {
      session = first;
    }
  }

  /**
   * Returns the running server, started again if it has ended. A failure is a {@link
   * ToolException}. Cancelling the future does not end the start.
   */
  CompletableFuture<Session> session() {
    CompletableFuture<Session> shared;
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedFuture(new ToolException("This server is shutting down."));
      } else if (session != null && session.isOpen()) {
        return CompletableFuture.completedFuture(session);
      } else if (start != null) {
        return start.copy();
      }
      long now = clock.getAsLong();
      while (!restarts.isEmpty() && now - restarts.element() >= WINDOW.toNanos()) {
        restarts.remove();
      }
      if (restarts.size() == RESTARTS) {
        long wait = WINDOW.toNanos() - (now - restarts.element());
        return CompletableFuture.failedFuture(
            new ToolException("The language server was started again " + RESTARTS + " times in "
                + WINDOW.toSeconds() + " seconds and has ended each time. It is not started for"
                + " the next " + (wait + 999_999_999) / 1_000_000_000
                + " seconds. Its standard error may"
                + " tell the user why."));
      }
      restarts.add(now);
      shared = new CompletableFuture<>();
      start = shared;
    }
    Threads.start("repartee-mcp-lsp-start", () -> restart(shared));
    return shared.copy();
  }

  private void restart(CompletableFuture<Session> shared) {
    Session started = null;
    ToolException failure = new ToolException("The language server cannot be started again.");
    try {
      started = starter.start();
    } catch (IOException e) {
      failure = new ToolException(
          "The language server has ended and cannot be started again: " + e.getMessage());
    } catch (RuntimeException | Error e) { // the callers wait for an outcome in any case
      failure = new ToolException("The language server cannot be started again: " + e);
    }
    boolean late;
    synchronized (this) {
      start = null;
      session = started;
      late = closed;
    }
    if (started == null) {
      shared.completeExceptionally(failure);
      return;
    }
    if (late) {
      started.close();
    }
    shared.complete(started);
  }

  @Override
  public void close() {
    Session last;
    synchronized (this) {
      closed = true;
      last = session;
    }
    if (last != null) {
      last.close();
    }
  }
}

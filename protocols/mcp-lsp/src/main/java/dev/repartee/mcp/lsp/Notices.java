package dev.repartee.mcp.lsp;

import dev.repartee.internal.Text;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.types.LogLevel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes log messages and progress of the language server to the tool calls that wait for it. The
 * thread of the call sends them, so that a client that does not read does not delay messages of the
 * server. Log messages that arrive while no call waits are stored for the next call. Thread-safe.
 */
@SuppressWarnings("deprecation") // of the specification, and still supported
final class Notices {
  /**
   * The maximum number of notices that wait for a call, and of notices that are stored for the next
   * call.
   */
  private static final int MAX_WAITING = 50;

  /** The maximum number of notices that a call gets. */
  private static final int MAX_OF_CALL = 500;

  private static final int LONGEST = 2_000;
  private static final Notice WAKE = new Notice(null, "");

  /** The number of progress notices so far: progress must increase in each call. */
  private final AtomicLong steps = new AtomicLong();

  // Guarded by this.
  private final Deque<Notice> kept = new ArrayDeque<>();
  private final Set<BlockingQueue<Notice>> waiting = new LinkedHashSet<>();

  /**
   * A notice of the server.
   *
   * @param level the level of a log message; null for progress
   */
  private record Notice(@Nullable LogLevel level, String text) {}

  void log(LogLevel level, String text) {
    add(new Notice(level, Text.shortened(text, LONGEST)));
  }

  void progress(String text) {
    add(new Notice(null, Text.shortened(text, LONGEST)));
  }

  private synchronized void add(Notice notice) {
    waiting.forEach(queue -> queue.offer(notice));
    if (waiting.isEmpty() && notice.level != null) {
      if (kept.size() == MAX_WAITING) {
        kept.remove();
      }
      kept.add(notice);
    }
  }

  /**
   * Starts an action, waits for its outcome, and sends the notices of the server to the client
   * meanwhile. Cancelling the call cancels the action.
   *
   * @throws RuntimeException the failure of the action
   */
  <T extends @Nullable Object> T await(McpCall call, Supplier<CompletableFuture<T>> action)
      throws InterruptedException {
    BlockingQueue<Notice> queue = begin(); // before the action: its notices may arrive immediately
    try {
      CompletableFuture<T> outcome = action.get();
      return await(call, outcome, queue);
    } finally {
      end(queue);
    }
  }

  private <T extends @Nullable Object> T await(
      McpCall call, CompletableFuture<T> outcome, BlockingQueue<Notice> queue)
      throws InterruptedException {
    try {
      outcome.whenComplete((result, failure) -> queue.offer(WAKE));
      call.cancellation().onCancel(() -> outcome.cancel(true));
      int sent = 0;
      while (!outcome.isDone()) {
        Notice next = queue.take(); // a full queue need not be woken
        if (next != WAKE && sent < MAX_OF_CALL) {
          sent++;
          send(call, next);
        }
      }
      for (Notice next = queue.poll(); next != null; next = queue.poll()) {
        if (next != WAKE && sent < MAX_OF_CALL && !call.cancellation().isCancelled()) {
          sent++;
          send(call, next);
        }
      }
      return outcome.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new CompletionException(e.getCause());
    } catch (InterruptedException e) {
      outcome.cancel(true);
      throw e;
    }
  }

  private synchronized BlockingQueue<Notice> begin() {
    BlockingQueue<Notice> queue = new ArrayBlockingQueue<>(MAX_WAITING);
    queue.addAll(kept);
    kept.clear();
    waiting.add(queue);
    return queue;
  }

  private synchronized void end(BlockingQueue<Notice> queue) {
    waiting.removeIf(other -> other == queue);
  }

  private void send(McpCall call, Notice notice) {
    if (notice.level == null) {
      call.progress(steps.incrementAndGet(), null, notice.text);
    } else {
      call.log(notice.level, "language server", notice.text);
    }
  }
}

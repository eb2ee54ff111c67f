package dev.repartee;

import dev.repartee.MessageQueue.Node;
import dev.repartee.transport.FrameSink;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Runs the started exchanges of one connection on as few threads as possible. A worker runs one
 * exchange after another, and the answers of quick ones are sent together. A burst of calls costs
 * about as much as one call: two hand-overs between threads, and one write.
 */
final class WorkQueue implements Runnable {
  // Implementation note.
  //
  // Any handler may block, and no thread knows that in advance. A worker asks for a standby worker
  // before it runs a handler, if other exchanges are queued or gathered answers are not sent yet.
  // If the first worker blocks, the standby sends its answers, runs the queued exchanges and asks
  // for a standby in turn. Without the standby, a handler that blocks would delay calls and answers
  // that do not depend on it, and a handler that waits for one of them would never end.
  //
  // One run of a worker:
  //
  //   requested --> begun: standby = false, flush --> take, run, take ... --> queue empty: flush
  //
  // standby is true from the request for a worker until that worker begins; at most one worker is
  // in that state. It is cleared before the queue is read: an exchange that is added after the last
  // poll of a worker finds standby false, and the thread that adds it asks for a new worker.
  // Clearing it later would lose such an exchange.
  //
  // There is no lock. The queue is concurrent, and an exchange is run by the thread that polled it.
  //
  // Alternatives: a thread for each call costs a hand-over and a write each; on one CPU, 32
  // connections with 16 calls in flight each served 0.13 million calls per second that way, and
  // serve 0.5 to 0.9 now. Gathering answers without a bound would delay them while others are
  // computed, hence GATHER_NANOS and PIECE.

  /** The number of gathered replies after which they are sent. */
  static final int PIECE = 32;

  /**
   * The time that a finished answer may wait for more answers, unless a handler runs for longer.
   */
  private static final long GATHER_NANOS = 50_000;

  private final Executor workers;
  private final FrameSink sink;
  private final Scheduler scheduler;
  private final Queue<OwnedExchange> started = new ConcurrentLinkedQueue<>();

  /** The calls of all connections that wait for a thread; null if they are not counted. */
  private final @Nullable Backlog backlog;

  /** Whether a worker was requested and has not begun yet. */
  private final AtomicBoolean standby = new AtomicBoolean();

  /**
   * Creates an empty queue.
   *
   * @param context has the backlog
   */
  WorkQueue(Executor workers, FrameSink sink, Scheduler scheduler, ServerContext context) {
    this.workers = workers;
    this.sink = sink;
    this.scheduler = scheduler;
    this.backlog = context.backlog();
  }

  /**
   * Queues messages that were started, linked by {@link Node#next}. A caller that is not a worker has
   * to call {@link #standBy} afterwards.
   */
  void add(Node first) {
    Node node = first;
    while (node != null) {
      Node rest = node.next;
      node.next = null;
      if (backlog != null) {
        backlog.add();
      }
      started.add(node.exchange);
      node = rest;
    }
  }

  private @Nullable OwnedExchange take() {
    return started.poll();
  }

  /** Counts the start of an exchange; a late one does not run and says nothing about the speed. */
  private void starts(OwnedExchange x) {
    if (backlog == null) {
      return;
    }
    if (x.isLate()) {
      backlog.drop();
    } else {
      backlog.start();
    }
  }

  /**
   * Fails all queued exchanges, because no worker thread could be started for them, or the executor
   * of the user has rejected them.
   */
  private void failStarted(Throwable cause) {
    for (OwnedExchange x = take(); x != null; x = take()) {
      if (backlog != null) {
        backlog.drop();
      }
      x.failUnserved(
          cause instanceof RejectedExecutionException
              ? new RpcException(x.connection().options().dialect().busy("executor", 0))
              : cause);
      scheduler.finishOnWorker(x);
    }
  }

  /**
   * Requests a worker for the queued exchanges and the gathered answers, unless one is on its way.
   */
  void standBy() {
    if (!standby.get() && standby.compareAndSet(false, true)) {
      try {
        workers.execute(this);
      } catch (Throwable e) { // usually an OutOfMemoryError: the thread could not be started
        standby.set(false);
        flush(); // there is no standby to send these answers if the next handler blocks
        failStarted(e);
      }
    }
  }

  @Override
  public void run() {
    standby.set(false);
    flush(); // the answers of a worker that may be blocked now
    int gathered = 0;
    long since = 0;
    for (OwnedExchange x = take(); x != null; x = take()) {
      if (gathered > 0 || !started.isEmpty()) {
        standBy();
      }
      starts(x);
      run(x);
      Thread.interrupted(); // clears a flag that this handler has left set for the next one
      long now = System.nanoTime();
      if (gathered++ == 0) {
        since = now;
      } else if (gathered == PIECE || now - since > GATHER_NANOS) {
        flush();
        gathered = 0;
      }
    }
    flush(scheduler.isCrowded());
  }

  /**
   * Runs an exchange. A failure outside of its handler could lose calls; it ends the connection.
   */
  private void run(OwnedExchange x) {
    try {
      x.run();
    } catch (Throwable e) {
      sink.abort(e);
    }
  }

  private void flush() {
    flush(false);
  }

  /**
   * Sends the gathered answers. If that fails, they may never be sent; then the connection ends.
   */
  private void flush(boolean soon) {
    try {
      if (soon) {
        sink.flushSoon();
      } else {
        sink.flush();
      }
    } catch (Throwable e) {
      sink.abort(e);
    }
  }
}

package dev.repartee;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Runs what was started on one connection, on as few threads as will do: a worker goes from one
 * exchange to the next, and the answers of quick ones leave together. Handing over a burst costs about
 * as much as handing over one call.
 *
 * <p>Any handler may block. So before a worker runs one while others wait, or while answers have not
 * left yet, it has another worker stand by: should the first get stuck, that one sends the answers,
 * runs what is left, and has a third stand by in turn.
 */
final class Relay implements Runnable {
  /** Answers wait no longer than that for more of them, as long as no handler runs for longer. */
  private static final long GATHER_NANOS = 50_000;

  private final Executor workers;
  private final Outlet outlet;
  private final Lanes lanes;
  private final Queue<Exchange> started = new ConcurrentLinkedQueue<>();

  /** Whether a worker was asked for that has not begun yet. */
  private final AtomicBoolean standby = new AtomicBoolean();

  /** {@code lanes} are told where no worker is to be had; what they do not take may wait for ever. */
  Relay(Executor workers, Outlet outlet, Lanes lanes) {
    this.workers = workers;
    this.outlet = outlet;
    this.lanes = lanes;
  }

  /** Adds what the calling worker, or the next {@link #standBy}, sees to. */
  void add(Exchange x) {
    started.add(x);
  }

  /** Takes what no worker has begun with; null where there is nothing. */
  @Nullable Exchange take() {
    return started.poll();
  }

  /** Sees to it that a worker will look at what was added. */
  void standBy() {
    if (!standby.get() && standby.compareAndSet(false, true)) {
      try {
        workers.execute(this);
      } catch (Throwable e) { // most of all the OutOfMemoryError of a thread that cannot be started
        standby.set(false);
        flush(); // nobody else would, should the handler block that comes next
        lanes.deserted(e);
      }
    }
  }

  @Override
  public void run() {
    standby.set(false);
    flush(); // for a worker that is stuck
    int gathered = 0;
    long since = 0;
    for (Exchange x = take(); x != null; x = take()) {
      if (gathered > 0 || !started.isEmpty()) {
        standBy();
      }
      run(x);
      Thread.interrupted(); // the next exchange must not see a flag that this handler left set
      long now = System.nanoTime();
      if (gathered++ == 0) {
        since = now;
      } else if (gathered == FramedChannel.PIECE || now - since > GATHER_NANOS) {
        flush();
        gathered = 0;
      }
    }
    flush(lanes.isCrowded());
  }

  /** Runs it. A failure in the bookkeeping around its handler could lose calls, so it ends the connection. */
  private void run(Exchange x) {
    try {
      x.run();
    } catch (Throwable e) {
      outlet.breakOff(e);
    }
  }

  private void flush() {
    flush(false);
  }

  /** Has the gathered answers leave; where that fails they may never do, so the connection ends. */
  private void flush(boolean soon) {
    try {
      if (soon) {
        outlet.flushSoon();
      } else {
        outlet.flush();
      }
    } catch (Throwable e) {
      outlet.breakOff(e);
    }
  }
}

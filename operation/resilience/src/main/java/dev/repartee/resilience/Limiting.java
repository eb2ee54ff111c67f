package dev.repartee.resilience;

import dev.repartee.Call;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.internal.Times;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Makes the calls of one peer by a {@link Bulkhead}. Thread-safe. */
final class Limiting {
  private final Engine engine;
  private final Bulkhead bulkhead;

  // Guarded by this.
  private int running;
  private final Set<Waiting> waiting = new LinkedHashSet<>();

  private Limiting(Engine engine, Bulkhead bulkhead) {
    this.engine = engine;
    this.bulkhead = bulkhead;
  }

  static Step step(Engine engine, Bulkhead bulkhead) {
    PerPeer<Limiting> peers = new PerPeer<>(() -> new Limiting(engine, bulkhead));
    return (call, inner) -> () -> peers.of(call.peer()).make(call, inner);
  }

  /** A call that waits for the end of others, or runs. */
  private final class Waiting {
    final Call call;
    final Attempt inner;
    final Ongoing<@Nullable Object> outcome = new Ongoing<>();
    private volatile Clock.@Nullable Timer timer;

    Waiting(Call call, Attempt inner) {
      this.call = call;
      this.inner = inner;
    }

    /** Sends the call, which is counted as running. */
    void run() {
      if (outcome.isDone()) { // cancelled after its wait
        release();
        return;
      }
      outcome.attempt(inner.start(), (result, failure) -> {
        release();
        outcome.end(result, failure);
      });
    }

    void awaitTurn(Duration time) {
      timer = engine.after(time, () -> {
        if (remove(this)) {
          outcome.completeExceptionally(rejected(call, "after " + Times.text(time)));
        }
      });
      outcome.onEnd(this::endWait);
      if (!isWaiting(this)) {
        endWait();
      }
    }

    void endWait() {
      remove(this);
      Clock.Timer present = timer;
      if (present != null) {
        present.cancel();
      }
    }
  }

  private CompletableFuture<@Nullable Object> make(Call call, Attempt inner) {
    Waiting next = new Waiting(call, inner);
    boolean runs;
    synchronized (this) {
      runs = running < bulkhead.running;
      if (runs) {
        running++;
      } else if (waiting.size() < bulkhead.waiting) {
        waiting.add(next);
      } else {
        next = null;
      }
    }
    if (next == null) {
      return CompletableFuture.failedFuture(rejected(call, "immediately"));
    } else if (runs) {
      next.run();
    } else {
      Duration left = call.timeLeft();
      Duration limit = bulkhead.timeout;
      next.awaitTurn(left != null && left.compareTo(limit) < 0 ? left : limit);
    }
    return next.outcome;
  }

  private RejectedException rejected(Call call, String when) {
    engine.report(Outcome.REJECTED_BY_BULKHEAD, call);
    return new RejectedException(
        Outcome.REJECTED_BY_BULKHEAD,
        "'" + call.method() + "' was not sent: " + bulkhead.running + " calls to "
            + call.channel().other() + " run already; rejected " + when,
        "too many calls run already");
  }

  private synchronized boolean isWaiting(Waiting call) {
    return waiting.contains(call);
  }

  private synchronized boolean remove(Waiting call) {
    return waiting.remove(call);
  }

  /** Passes the place of a call that has ended to the next one. */
  private void release() {
    Waiting next;
    synchronized (this) {
      if (waiting.isEmpty()) {
        running--;
        return;
      }
      next = waiting.iterator().next();
      waiting.remove(next);
    }
    next.endWait();
    Threads.start(Threads.CALLS, next::run); // this thread may read, and must not wait
  }
}

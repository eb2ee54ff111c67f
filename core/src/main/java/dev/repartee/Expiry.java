package dev.repartee;

import dev.repartee.access.Principal;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Ends a connection when its {@linkplain Principal#expires principal expires}: running calls have
 * the {@code closeTimeout}, and new ones are refused.
 */
final class Expiry implements Runnable {
  private final Peer peer;
  private final Options options;
  private final Instant end;

  /** Changed by one thread at a time: the opening one, then the step of the timer. */
  private volatile Clock.@Nullable Timer timer;

  private Expiry(Peer peer, Options options, Instant end) {
    this.peer = peer;
    this.options = options;
    this.end = end;
  }

  /** Watches a connection, unless its principal does not expire. */
  static void watch(Peer peer, Options options, @Nullable Principal principal) {
    Instant end = principal == null ? null : principal.expires();
    if (end != null) {
      Expiry expiry = new Expiry(peer, options, end);
      expiry.schedule();
      peer.closed().whenComplete((nothing, cause) -> expiry.cancel());
    }
  }

  private void schedule() {
    Duration left = Duration.between(Instant.now(), end);
    Duration time = left.isNegative() ? Duration.ZERO : left;
    timer = options.clock().schedule(time, Threads.CALLS, this);
  }

  /** Runs at the end, or earlier if the clock of the system was set back. */
  @Override
  public void run() {
    if (peer.ending().hasEnded()) {
      return;
    }
    if (Instant.now().isBefore(end)) {
      schedule();
    } else {
      peer.ending().closeWithin(options.limits().closeTimeout());
    }
  }

  private void cancel() {
    Clock.Timer last = timer;
    if (last != null) {
      last.cancel();
    }
  }
}

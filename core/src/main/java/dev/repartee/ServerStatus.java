package dev.repartee;

import dev.repartee.internal.Clock;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.limits.MemoryBudget;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counts of one {@link Server}, which {@code rpc.status} reports: one object for all its
 * connections, paths and requests without a connection. Contains numbers only, no address and no
 * name of a client or a method. Thread-safe and lock-free.
 */
final class ServerStatus {
  /*
   * Implementation note. Every count only grows, and what is open or running is the difference of
   * two counts. The sum of a LongAdder is not a snapshot. The subtrahend is read first: an end that
   * it contains follows its begin, and the later read contains this begin too. This keeps the
   * difference from being negative.
   *
   * Inline calls that are served from the read buffer have one count: they never run while another
   * message of their connection is read. The scheduler adds them once for a burst. A count in each
   * connection, summed on request, was rejected: a client could ask a server with many connections
   * for the sum as often as it likes.
   */

  private final Clock clock;
  private final long created;
  private final LongAdder opened = new LongAdder();
  private final LongAdder closed = new LongAdder();
  private final LongAdder started = new LongAdder();
  private final LongAdder finished = new LongAdder();
  private final LongAdder inline = new LongAdder();
  private final LongAdder errors = new LongAdder();

  /** Creates counts; the clock measures the uptime. */
  ServerStatus(Clock clock) {
    this.clock = clock;
    this.created = clock.nanos();
  }

  /** Counts a connection that is about to be served. */
  void opened() {
    opened.increment();
  }

  /** Counts the end of a connection that was counted as opened. */
  void closed() {
    closed.increment();
  }

  /** Counts calls that a scheduler has started. */
  void started(int calls) {
    started.add(calls);
  }

  /** Counts the end of a call that a scheduler had started. */
  void finished() {
    finished.increment();
  }

  /** Counts calls that were served from the read buffer. */
  void servedInline(int calls) {
    inline.add(calls);
  }

  /** Counts an error response, or a notification that failed. */
  void failed() {
    errors.increment();
  }

  /**
   * Returns the counts as the member {@code server} of the answer to {@code rpc.status}. The call
   * that asks is not counted as running.
   *
   * @param service the called service
   */
  Json report(Service service) {
    boolean described = !service.version().equals(Service.UNKNOWN_VERSION);
    long left = closed.sum(); // before the sum from which it is subtracted, see above
    long accepted = opened.sum();
    long done = finished.sum();
    long begun = started.sum();
    return new JsonObjectBuilder()
        .put("repartee", Repartee.version())
        .put("version", described ? service.version() : null)
        .put("uptimeSeconds", TimeUnit.NANOSECONDS.toSeconds(clock.nanos() - created))
        .put("connections", counts("open", accepted - left, accepted))
        .put("calls", counts("running", Math.max(0, begun - done - 1), begun + inline.sum()))
        .put("errors", new JsonObjectBuilder().put("total", errors.sum()).build())
        .put(
            "heldBytes",
            new JsonObjectBuilder()
                .put("requests", usage(MemoryBudget.ofProcess()))
                .put("answers", usage(MemoryBudget.ofAnswers()))
                .build())
        .build();
  }

  private static Json counts(String now, long current, long total) {
    return new JsonObjectBuilder().put(now, current).put("total", total).build();
  }

  private static Json usage(MemoryBudget budget) {
    return new JsonObjectBuilder()
        .put("used", budget.held())
        .put("max", budget.max())
        .build();
  }
}

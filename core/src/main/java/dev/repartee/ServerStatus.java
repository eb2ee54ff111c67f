package dev.repartee;

import dev.repartee.internal.Clock;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.limits.MemoryBudget;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counts of one {@link Server}: one object for all its connections, paths and requests without
 * a connection. {@link ServerFigures} is their snapshot, and {@code rpc.status} reports it. Contains
 * numbers only, no address and no name of a client or a method. Thread-safe and lock-free.
 */
final class ServerStatus {
  /*
   * Implementation note. Every count only grows, and what is open or running is the difference of
   * two counts. The sum of a LongAdder is not a snapshot. The subtrahend is read first: an end that
   * it contains follows its begin, and the later read contains this begin too. This keeps the
   * difference from being negative.
   *
   * Inline calls that are served from the read buffer have one count: they never run while another
   * message of their connection is read. The scheduler adds them, and their bytes, once for a burst.
   * A count in each connection, summed on request, was rejected: a client could ask a server with
   * many connections for the sum as often as it likes.
   */

  private final Clock clock;
  private final long created;
  private final LongAdder opened = new LongAdder();
  private final LongAdder closed = new LongAdder();
  private final LongAdder started = new LongAdder();
  private final LongAdder finished = new LongAdder();
  private final LongAdder inline = new LongAdder();
  private final LongAdder queued = new LongAdder();
  private final LongAdder dequeued = new LongAdder();
  private final LongAdder errors = new LongAdder();
  private final LongAdder received = new LongAdder();
  private final LongAdder sent = new LongAdder();

  /** The refused calls and messages by reason; the reasons are constants of the code. */
  private final Map<String, LongAdder> refused = new ConcurrentHashMap<>();

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

  /** Counts calls that wait for earlier ones. */
  void queued(int calls) {
    queued.add(calls);
  }

  /** Counts the end of the wait of a call. */
  void dequeued() {
    dequeued.increment();
  }

  /** Counts an error response, or a notification that failed. */
  void failed() {
    errors.increment();
  }

  /** Counts a call or message that was refused for that reason. */
  void refused(String reason) {
    refused.computeIfAbsent(reason, first -> new LongAdder()).increment();
  }

  /** Counts the bytes of messages. */
  void received(long bytes) {
    received.add(bytes);
  }

  /** Counts the bytes of messages. */
  void sent(long bytes) {
    sent.add(bytes);
  }

  /** Returns the counts of this moment. */
  ServerFigures figures() {
    long left = closed.sum(); // before the sum from which it is subtracted, see above
    long accepted = opened.sum();
    long done = finished.sum();
    long begun = started.sum();
    long waited = dequeued.sum();
    Map<String, Long> refusals = new HashMap<>();
    refused.forEach((reason, count) -> refusals.put(reason, count.sum()));
    return new ServerFigures(
        Duration.ofNanos(clock.nanos() - created),
        accepted - left,
        accepted,
        begun - done,
        queued.sum() - waited,
        begun + inline.sum(),
        errors.sum(),
        refusals,
        received.sum(),
        sent.sum(),
        usage(MemoryBudget.ofProcess()),
        usage(MemoryBudget.ofAnswers()));
  }

  private static ServerFigures.Budget usage(MemoryBudget budget) {
    return new ServerFigures.Budget(budget.held(), budget.max());
  }

  /**
   * Returns the counts as the member {@code server} of the answer to {@code rpc.status}. The call
   * that asks is not counted as running.
   *
   * @param service the called service
   */
  Json report(Service service) {
    boolean described = !service.version().equals(Service.UNKNOWN_VERSION);
    ServerFigures now = figures();
    // StatusSchema describes these members.
    return new JsonObjectBuilder()
        .put("repartee", Repartee.version())
        .put("version", described ? service.version() : null)
        .put("uptimeSeconds", now.uptime().toSeconds())
        .put("connections", object("open", now.open(), "total", now.accepted()))
        .put(
            "calls",
            new JsonObjectBuilder()
                .put("running", Math.max(0, now.running() - 1))
                .put("waiting", now.waiting())
                .put("total", now.started())
                .build())
        .put("errors", total(now.errors()))
        .put("refused", total(now.refused().values().stream().mapToLong(n -> n).sum()))
        .put("bytes", object("received", now.received(), "sent", now.sent()))
        .put(
            "heldBytes",
            new JsonObjectBuilder()
                .put(
                    "requests",
                    object("used", now.requests().used(), "max", now.requests().max()))
                .put(
                    "answers",
                    object("used", now.answers().used(), "max", now.answers().max()))
                .build())
        .build();
  }

  private static Json object(String one, long first, String other, long second) {
    return new JsonObjectBuilder().put(one, first).put(other, second).build();
  }

  private static Json total(long count) {
    return new JsonObjectBuilder().put("total", count).build();
  }
}

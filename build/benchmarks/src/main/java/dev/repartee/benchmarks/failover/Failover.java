package dev.repartee.benchmarks.failover;

import dev.repartee.Peer;
import dev.repartee.balance.Balanced;
import dev.repartee.balance.Policy;
import dev.repartee.benchmarks.load.Latencies;
import dev.repartee.benchmarks.load.LatencySummary;
import dev.repartee.benchmarks.process.AvailableEndpoints;
import dev.repartee.benchmarks.process.Child;
import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.report.Goal;
import dev.repartee.benchmarks.report.Section;
import dev.repartee.benchmarks.report.Text;
import dev.repartee.reconnect.Backoff;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Measures the time that the loss of a server adds to the calls that the other server answers. Both
 * servers are processes. Each round kills the same one: its replacement is a cold JVM, and the other
 * server has run since the start. A server that starts in every second round would measure its
 * compiler: up to 200 ms over HTTP. Idempotent calls with the same key go to the same server; a call
 * that gets the answer of the other server was saved.
 *
 * <p>No client can notice the loss before the kernel closes the sockets of the killed process. The
 * table shows this time, and the saved calls also without it. The goal includes it.
 */
public final class Failover {
  /** The number of calls in flight: fewer than the connections of an HTTP client for each server. */
  private static final int CALLS = 12;

  /** The number of the server that is killed. */
  private static final int VICTIM = 1;

  private static final int WARM_UP_MILLIS = 10_000;

  /** The time for the replacement of a killed server to compile its hot methods. */
  private static final int RESTART_MILLIS = 1_000;

  /** The time with both servers before a kill, and with one after it. */
  private static final int PHASE_MILLIS = 200;

  /** The maximum pause before an attempt to connect to a server that was killed. */
  private static final Duration RETURN = Duration.ofMillis(200);

  private static final long PATIENCE = TimeUnit.MINUTES.toNanos(1);
  private static final double GOAL_MILLIS = 50;
  private static final double MICROS_OF_MILLI = 1_000;

  private final Jvm jvm;
  private final Path log;
  private final Child[] servers = new Child[2];
  private final String[] uris = new String[2];
  private final AvailableEndpoints endpoints = new AvailableEndpoints();

  // Used by the thread of the rounds.

  /** The times from a kill until the sockets of the process were closed. */
  private final Latencies closing = new Latencies();

  /** The times of {@link System#nanoTime} at which the sockets of a killed process were closed. */
  private final List<Long> closes = new ArrayList<>();

  // Guarded by this.
  private final Latencies usual = new Latencies();
  private final List<Saved> saved = new ArrayList<>();
  private int failed;
  private int running;
  private boolean counts;
  private boolean over;

  /** The times of {@link System#nanoTime} at which a saved call began and ended. */
  private record Saved(long began, long ended) {
    long time() {
      return ended - began;
    }

    /** Returns the time after the first close during the call; the whole time if there was none. */
    long timeAfter(List<Long> closes) {
      return ended
          - closes.stream()
              .filter(close -> close > began && close < ended)
              .findFirst()
              .orElse(began);
    }
  }

  private Failover(Jvm jvm, Path log) {
    this.jvm = jvm;
    this.log = log;
  }

  /**
   * Measures over TCP and HTTP.
   *
   * @param rounds the number of kills over each
   */
  public static Section run(Jvm jvm, Path log, int rounds) throws IOException {
    Text text = new Text().add("""
        ## Failover

        %d idempotent calls at a time to two servers, each a process, and handlers that sleep %d ms. In each of %d
        rounds one server is killed and started again. Calls that it did not answer are sent to the other, which has
        run since the start. No client can notice the loss before the kernel closes the sockets of the killed process:
        the time from the kill until then has columns, and the saved calls have columns for the time after it. The first
        loss is not counted, since the client loads classes. In milliseconds:

        | transport | calls | median | 99th percentile | kill to close: median | longest | saved calls | median | 99th percentile | after the close: median | 99th percentile |
        |---|---|---|---|---|---|---|---|---|---|---|
        """, CALLS, FailoverServer.WORK_MILLIS, rounds);
    List<Goal> goals = new ArrayList<>();
    List<String> failures = new ArrayList<>();
    for (String scheme : List.of("tcp", "http")) {
      Failover failover = new Failover(jvm, log);
      failover.measure(scheme.equals("tcp") ? "tcp://127.0.0.1:0" : "http://127.0.0.1:0/", rounds);
      LatencySummary usual = failover.usual.experience(0);
      LatencySummary closing = failover.closing.experience(0);
      LatencySummary saved = failover.saved(Saved::time);
      LatencySummary after = failover.saved(call -> call.timeAfter(failover.closes));
      text.add(
          "| %s | %,d | %.1f | %.1f | %.1f | %.1f | %,d | %.1f | %.1f | %.1f | %.1f |%n",
          scheme,
          usual.calls(),
          usual.median() / MICROS_OF_MILLI,
          usual.tail() / MICROS_OF_MILLI,
          closing.median() / MICROS_OF_MILLI,
          closing.most() / MICROS_OF_MILLI,
          saved.calls(),
          saved.median() / MICROS_OF_MILLI,
          saved.tail() / MICROS_OF_MILLI,
          after.median() / MICROS_OF_MILLI,
          after.tail() / MICROS_OF_MILLI);
      goals.add(new Goal(
          "the time that the loss of a server adds to the calls that are saved, " + scheme,
          "99th percentile of the saved calls less the median of the others",
          Goal.Bound.atMost(GOAL_MILLIS, "ms"),
          (saved.tail() - usual.median()) / MICROS_OF_MILLI,
          "",
          "No client can notice the loss before the kernel closes the sockets of the killed JVM."
              + " Columns of the table show this time, and the saved calls after it."));
      if (saved.failed() > 0) {
        failures.add(saved.failed() + " calls over " + scheme + " failed during failover");
      }
      if (saved.calls() == 0) {
        failures.add("no call over " + scheme + " was in flight when a server was killed");
      }
    }
    return new Section(text.toString(), goals, List.of(), failures);
  }

  private void measure(String any, int rounds) throws IOException {
    try {
      for (int i = 0; i < servers.length; i++) {
        start(i, any);
      }
      try (Peer peer = Balanced.to(List.of(uris))
          .policy(Policy.sticky((method, params) -> params == null ? null : params.toString()))
          .idempotent("work")
          .backoff(Backoff.DEFAULT.max(RETURN)) // no connection of this run is stable
          .listener(endpoints)
          .connect()) {
        for (String uri : uris) {
          endpoints.await(uri, true);
        }
        for (int i = 0; i < CALLS; i++) {
          begin(peer, "key " + i, null);
        }
        TimeUnit.MILLISECONDS.sleep(WARM_UP_MILLIS);
        round(false); // the client loads the classes of a loss
        for (int round = 0; round < rounds; round++) {
          round(true);
        }
        end();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      for (Child server : servers) {
        if (server != null) {
          server.close();
        }
      }
    }
  }

  private void start(int number, String uri) throws IOException {
    servers[number] =
        new Child(jvm.smallServer(FailoverServer.class, uri, Integer.toString(number)), log);
    uris[number] = servers[number].ask("where");
  }

  private void round(boolean isCounted) throws IOException, InterruptedException {
    try (Witness witness = new Witness(uris[VICTIM])) {
      count(isCounted);
      TimeUnit.MILLISECONDS.sleep(PHASE_MILLIS);
      long killed = System.nanoTime();
      servers[VICTIM].kill();
      endpoints.await(uris[VICTIM], false);
      TimeUnit.MILLISECONDS.sleep(PHASE_MILLIS);
      count(false);
      closes.add(witness.closedAt());
      if (isCounted) {
        closing.record(witness.closedAt() - killed);
      }
    }
    start(VICTIM, uris[VICTIM]);
    endpoints.await(uris[VICTIM], true);
    TimeUnit.MILLISECONDS.sleep(RESTART_MILLIS);
  }

  private synchronized void count(boolean isCounted) {
    counts = isCounted;
  }

  /** Returns the experience of the saved calls, by one of their times. */
  private synchronized LatencySummary saved(ToLongFunction<Saved> time) {
    Latencies times = new Latencies();
    saved.forEach(call -> times.record(time.applyAsLong(call)));
    return times.experience(failed);
  }

  private void end() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE;
    synchronized (this) {
      over = true;
      while (running > 0) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          throw new IOException(running + " calls have not ended");
        }
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
    }
  }

  // ---------------------------------------------------------------- the calls

  /**
   * Makes calls with a key, one after the other.
   *
   * @param home the name of the server of this key; null if it is not known yet
   */
  private void begin(Peer peer, String key, @Nullable String home) {
    boolean isCounted = home != null && endpoints.contains(uris[Integer.parseInt(home)]);
    synchronized (this) {
      if (over) {
        return;
      }
      running++;
      isCounted &= counts;
    }
    boolean isMeasured = isCounted;
    long began = System.nanoTime();
    peer.callAsync("work", String.class, key).whenComplete((name, failure) -> {
      long ended = System.nanoTime();
      synchronized (this) {
        running--;
        failed += failure == null ? 0 : 1;
        if (failure == null && isMeasured && name.equals(home)) {
          usual.record(ended - began);
        } else if (failure == null && isMeasured) {
          saved.add(new Saved(began, ended));
        }
        notifyAll();
      }
      begin(peer, key, home == null ? name : home);
    });
  }
}

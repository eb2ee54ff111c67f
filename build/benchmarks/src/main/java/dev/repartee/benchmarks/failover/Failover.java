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
import org.jspecify.annotations.Nullable;

/**
 * Measures the time that the loss of a server adds to the calls that the other server answers. Two
 * servers are processes, and one of them is killed in each round. Idempotent calls with the same key
 * go to the same server; a call that gets the answer of the other server was saved.
 */
public final class Failover {
  /** The number of calls in flight: fewer than the connections of an HTTP client for each server. */
  private static final int CALLS = 12;

  private static final int WARM_UP_MILLIS = 3_000;

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

  // Guarded by this.
  private final Latencies usual = new Latencies();
  private final Latencies saved = new Latencies();
  private int failed;
  private int running;
  private boolean counts;
  private boolean over;

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
        rounds one server is killed. Calls that it did not answer are sent to the other. The table compares them with
        the other calls of the same run, in milliseconds.

        | transport | calls | median | 99th percentile | saved calls | median | 99th percentile | longest |
        |---|---|---|---|---|---|---|---|
        """, CALLS, FailoverServer.WORK_MILLIS, rounds);
    List<Goal> goals = new ArrayList<>();
    List<String> failures = new ArrayList<>();
    for (String scheme : List.of("tcp", "http")) {
      Failover failover = new Failover(jvm, log);
      failover.measure(scheme.equals("tcp") ? "tcp://127.0.0.1:0" : "http://127.0.0.1:0/", rounds);
      LatencySummary usual = failover.usual.experience(0);
      LatencySummary saved = failover.saved.experience(failover.failed);
      text.add(
          "| %s | %,d | %.1f | %.1f | %,d | %.1f | %.1f | %.1f |%n",
          scheme,
          usual.calls(),
          usual.median() / MICROS_OF_MILLI,
          usual.tail() / MICROS_OF_MILLI,
          saved.calls(),
          saved.median() / MICROS_OF_MILLI,
          saved.tail() / MICROS_OF_MILLI,
          saved.most() / MICROS_OF_MILLI);
      goals.add(new Goal(
          "the time that the loss of a server adds to the calls that are saved, " + scheme,
          "99th percentile of the saved calls less the median of the others",
          Goal.Bound.atMost(GOAL_MILLIS, "ms"),
          (saved.tail() - usual.median()) / MICROS_OF_MILLI,
          "",
          "A killed JVM of this size closes its sockets 11 to 16 ms after the kill; until then no"
              + " client can notice it. The other server runs all calls on the same CPU."));
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
        count(true);
        for (int round = 0; round < rounds; round++) {
          round(round % servers.length);
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

  private void round(int number) throws IOException, InterruptedException {
    TimeUnit.MILLISECONDS.sleep(PHASE_MILLIS);
    servers[number].kill();
    endpoints.await(uris[number], false);
    TimeUnit.MILLISECONDS.sleep(PHASE_MILLIS);
    count(false);
    start(number, uris[number]);
    endpoints.await(uris[number], true);
    TimeUnit.MILLISECONDS.sleep(PHASE_MILLIS); // the new JVM has to warm up
    count(true);
  }

  private synchronized void count(boolean isCounted) {
    counts = isCounted;
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
      long time = System.nanoTime() - began;
      synchronized (this) {
        running--;
        failed += failure == null ? 0 : 1;
        if (failure == null && isMeasured) {
          (name.equals(home) ? usual : saved).record(time);
        }
        notifyAll();
      }
      begin(peer, key, home == null ? name : home);
    });
  }
}

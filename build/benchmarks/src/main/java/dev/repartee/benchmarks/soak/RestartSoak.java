package dev.repartee.benchmarks.soak;

import dev.repartee.CallBuilder;
import dev.repartee.Peer;
import dev.repartee.balance.Balanced;
import dev.repartee.benchmarks.process.AvailableEndpoints;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A client with two endpoints calls at a constant rate while their servers are restarted in turn,
 * each of them a process. At the end the outcome of every call agrees with the files of the servers:
 *
 * <ul>
 *   <li>If the servers close in order, every call is answered, and none ran twice.
 *   <li>If they are killed, only calls fail that were in flight, and their failure says that they may
 *       have run. Idempotent calls are all answered.
 * </ul>
 */
final class RestartSoak {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** The maximum time until the last calls have ended, sufficient on a busy machine. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** The number of calls that may wait: on a busy machine one server is slower than the calls. */
  private static final int WAITING = 100_000;

  /** The time with both servers between two restarts. */
  private static final long BETWEEN_MILLIS = 300;

  /** The transport of both endpoints. */
  enum Scheme {
    TCP("tcp://127.0.0.1:0"),
    HTTP("http://127.0.0.1:0/"),
    WS("ws://127.0.0.1:0/");

    private final String uri;

    Scheme(String uri) {
      this.uri = uri;
    }
  }

  /** How a server ends. */
  enum End {
    TERMINATED,
    KILLED
  }

  private enum Kind {
    IDEMPOTENT,
    ONCE
  }

  private enum Outcome {
    ANSWERED,
    /** It was sent, and may have run. */
    LOST,
    /** Any other failure. */
    FAILED
  }

  /** A call that has ended. Its times are values of {@link System#nanoTime}. */
  private record Ended(
      Kind kind, Outcome outcome, @Nullable Throwable failure, long began, long ended) {}

  /** The time from the kill of a server until the client has noticed it. */
  private record Gap(long began, long ended) {
    /** Returns whether a call was in flight, as far as the client could know. */
    boolean includes(Ended call) {
      return call.began - ended <= 0 && call.ended - began >= 0;
    }
  }

  private final Account account = new Account();
  private final End end;
  private final int rate;
  private final Path folder;
  private final RestartServer[] servers = new RestartServer[2];
  private final Map<String, Ended> calls = new ConcurrentHashMap<>();
  private final List<Gap> gaps = new ArrayList<>();
  private final AvailableEndpoints endpoints = new AvailableEndpoints();
  private int files;
  private volatile boolean over;

  private RestartSoak(End end, int rate, Path folder) {
    this.end = end;
    this.rate = rate;
    this.folder = folder;
  }

  /**
   * Restarts each of two servers so many times.
   *
   * @param rate the calls a second
   * @return the account, which adds up if every call ended as it has to
   */
  static Account run(Scheme scheme, End end, int rounds, int rate) throws Exception {
    Path folder = Files.createTempDirectory("soak");
    try {
      RestartSoak soak = new RestartSoak(end, rate, folder);
      soak.soak(scheme, rounds);
      soak.report(scheme, rounds);
      return soak.account;
    } finally {
      try (Stream<Path> all = Files.walk(folder)) {
        all.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
  }

  private RestartServer start(String uri) throws IOException {
    return RestartServer.start(uri, folder.resolve("keys." + ++files), folder.resolve("log"));
  }

  private void soak(Scheme scheme, int rounds) throws Exception {
    try {
      for (int i = 0; i < servers.length; i++) {
        servers[i] = start(scheme.uri);
      }
      List<String> uris = Stream.of(servers).map(server -> server.uri).toList();
      try (Peer peer =
          Balanced.to(uris).waitingCalls(WAITING).listener(endpoints).connect()) {
        for (String uri : uris) {
          endpoints.await(uri, true);
        }
        Thread caller = new Thread(() -> call(peer), "caller");
        caller.start();
        for (int i = 0; i < rounds * servers.length; i++) {
          TimeUnit.MILLISECONDS.sleep(BETWEEN_MILLIS);
          restart(i % servers.length);
        }
        TimeUnit.MILLISECONDS.sleep(BETWEEN_MILLIS);
        over = true;
        caller.join();
        awaitCalls();
      }
    } finally {
      for (RestartServer server : servers) {
        if (server != null) {
          server.kill();
        }
      }
    }
  }

  private void restart(int number) throws Exception {
    RestartServer server = servers[number];
    long began = System.nanoTime();
    if (end == End.KILLED) {
      server.kill();
    } else {
      server.terminate();
    }
    endpoints.await(server.uri, false);
    gaps.add(new Gap(began, System.nanoTime()));
    servers[number] = start(server.uri);
    endpoints.await(server.uri, true);
  }

  // ---------------------------------------------------------------- the calls

  /** Makes calls at the rate, without waiting for their answers. */
  private void call(Peer peer) {
    long began = System.nanoTime();
    for (int number = 0; !over; number++) {
      long due = began + number * TimeUnit.SECONDS.toNanos(1) / rate;
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      call(peer, number % 2 == 0 ? Kind.IDEMPOTENT : Kind.ONCE, number);
    }
  }

  private void call(Peer peer, Kind kind, int number) {
    String key = kind + " " + number;
    boolean idempotent = kind == Kind.IDEMPOTENT;
    CallBuilder call = peer.request(idempotent ? "again" : "once").args(key).timeout(TIMEOUT);
    account.started(kind);
    long began = System.nanoTime();
    try {
      (idempotent ? call.idempotent() : call)
          .send(String.class)
          .whenComplete((answer, failure) -> ended(kind, key, began, answer, failure));
    } catch (RuntimeException e) {
      ended(kind, key, began, null, e);
    }
  }

  private void ended(
      Kind kind, String key, long began, @Nullable String answer, @Nullable Throwable failure) {
    if (failure == null && !key.equals(answer)) {
      account.fault("the answer of another call: " + key);
    }
    Outcome outcome = outcome(failure);
    if (outcome == Outcome.FAILED) {
      account.fault(key + ": " + failure);
    }
    calls.put(key, new Ended(kind, outcome, failure, began, System.nanoTime()));
    account.ended(kind, outcome);
  }

  private static Outcome outcome(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause == null) {
      return Outcome.ANSWERED;
    }
    return cause instanceof DisconnectedException lost && lost.unsent() == null
        ? Outcome.LOST
        : Outcome.FAILED;
  }

  private void awaitCalls() throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (account.open() > 0 && System.nanoTime() - deadline < 0) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  // ---------------------------------------------------------------- the account

  private void report(Scheme scheme, int rounds) throws IOException {
    Counts runs = new Counts();
    for (int file = 1; file <= files; file++) {
      Files.readAllLines(folder.resolve("keys." + file)).forEach(runs::add);
    }
    int again = 0;
    for (Map.Entry<String, Ended> each : calls.entrySet()) {
      String key = each.getKey();
      Ended call = each.getValue();
      long count = runs.of(key);
      if (call.outcome == Outcome.ANSWERED && count == 0) {
        account.fault("answered but not run: " + key);
      }
      if (call.kind == Kind.ONCE && count > 1) {
        account.fault("run twice: " + key);
      }
      again += call.kind == Kind.IDEMPOTENT && count > 1 ? 1 : 0;
      if (call.outcome == Outcome.LOST && !mayBeLost(call)) {
        account.fault(
            "lost, though it was not in flight on a killed server: " + key + ": " + call.failure);
      }
    }
    System.out.printf(
        "%s: each of two servers %s %d times, %d calls a second%n",
        scheme, end == End.KILLED ? "killed" : "terminated", rounds, rate);
    System.out.printf("calls: %s%nidempotent calls run twice: %d%n", account.table(), again);
    System.out.println(account.addsUp() ? "it adds up" : "IT DOES NOT ADD UP");
  }

  private boolean mayBeLost(Ended call) {
    return end == End.KILLED
        && call.kind == Kind.ONCE
        && gaps.stream().anyMatch(gap -> gap.includes(call));
  }
}

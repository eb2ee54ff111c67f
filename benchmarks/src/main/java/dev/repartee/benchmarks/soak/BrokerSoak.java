package dev.repartee.benchmarks.soak;

import dev.repartee.CallBuilder;
import dev.repartee.CallTimeoutException;
import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.RpcError;
import dev.repartee.benchmarks.brokers.Broker;
import dev.repartee.broker.server.BrokerServer;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Clients call workers through a broker. The broker is killed again and again, workers are killed or
 * closed. At the end every call has an outcome that agrees with the files of the workers: no call ran
 * twice unless it is idempotent, none ran that was reported as not sent.
 */
final class BrokerSoak {
  private static final int WORKERS = 3;
  private static final int CALLERS = 8;
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** The time of a call if nobody tells its client that a worker is lost: many end by it. */
  private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(3);

  /** The time after its deadline in which a call must have ended, sufficient on a busy machine. */
  private static final Duration LATE = Duration.ofSeconds(5);

  /** The pause of a caller after a call that was not sent. */
  private static final int PAUSE_MILLIS = 100;

  /** The shortest pause between two losses, and the part that is random. */
  private static final int BETWEEN_MILLIS = 3_000;

  private static final int RANDOM_MILLIS = 2_000;

  /** The longest time in which the broker is away, besides its start. */
  private static final int AWAY_MILLIS = 1_500;

  private static final String SERVICE = "soak";
  private static final String UNKNOWN = "outcome is unknown";
  private static final String NOT_SENT = "not sent";

  /** The outcome of a call. */
  private enum Outcome {
    ANSWERED,
    /** The client has lost the broker, or the worker is lost: the call may have run. */
    OUTCOME_UNKNOWN,
    NOT_SENT,
    /** The broker has not taken it: there is no queue, or nobody listens. */
    REFUSED,
    TIMED_OUT,
    BUSY,
    /** It received the answer of another call. */
    WRONG,
    /** It ended with an exception that is not allowed. */
    STRANGE
  }

  private final Broker kind;
  private final BrokerServer broker;
  private final String uri;
  private final Duration timeout;
  private final Path folder;
  private final Random random;
  private final List<BrokerSoakWorker> workers = new ArrayList<>();
  private final Map<String, Outcome> outcomes = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> strange = new ConcurrentHashMap<>();
  private final LongAdder started = new LongAdder();
  private final LongAdder late = new LongAdder();
  private int files;
  private int brokerKills;
  private int workerKills;
  private int workerCloses;
  private volatile boolean over;

  private BrokerSoak(Broker kind, BrokerServer broker, Path folder, long seed) {
    this.kind = kind;
    this.broker = broker;
    this.folder = folder;
    this.random = new Random(seed);
    this.uri = broker.uri(SERVICE);
    this.timeout = kind == Broker.ZEROMQ ? SHORT_TIMEOUT : TIMEOUT;
  }

  /** Runs a soak; returns whether everything adds up. */
  static boolean run(Broker kind, Duration time, long seed) throws Exception {
    String missing = kind.missing();
    if (missing != null) {
      throw new IOException(missing);
    }
    Path folder = Files.createTempDirectory("soak");
    try (BrokerServer broker = kind.start()) {
      BrokerSoak soak = new BrokerSoak(kind, broker, folder, seed);
      try {
        soak.soak(time);
      } finally {
        soak.workers.forEach(BrokerSoakWorker::kill);
      }
      return soak.report();
    } finally {
      try (Stream<Path> all = Files.walk(folder)) {
        all.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
  }

  private BrokerSoakWorker worker() throws IOException {
    // The new one takes the place of the oldest one, which is the next to be lost.
    String at = broker.uri(SERVICE, files % WORKERS);
    String bounded = kind == Broker.RABBITMQ ? at + "#prefetch=8" : at;
    return BrokerSoakWorker.start(
        bounded, folder.resolve("keys." + ++files), folder.resolve("log"));
  }

  // ---------------------------------------------------------------- the traffic

  private void soak(Duration time) throws Exception {
    for (int i = 0; i < WORKERS; i++) {
      workers.add(worker());
    }
    List<Thread> callers = new ArrayList<>();
    try (Peer peer = Repartee.connect(uri, BrokerSoakWorker.quiet())) {
      for (int i = 0; i < CALLERS; i++) {
        String name = "caller-" + i;
        Thread caller = new Thread(() -> callOnAndOn(peer, name), name);
        callers.add(caller);
        caller.start();
      }
      long end = System.nanoTime() + time.toNanos();
      while (System.nanoTime() - end < 0) {
        pause(BETWEEN_MILLIS + random.nextInt(RANDOM_MILLIS));
        mischief();
      }
      over = true;
      for (Thread caller : callers) {
        caller.join(2 * timeout.toMillis() + LATE.toMillis());
      }
    }
  }

  private void mischief() throws Exception {
    if (random.nextBoolean()) {
      broker.kill();
      brokerKills++;
      pause(random.nextInt(AWAY_MILLIS));
      broker.start();
      return;
    }
    BrokerSoakWorker worker = workers.remove(0);
    if (random.nextBoolean()) {
      worker.kill();
      workerKills++;
    } else {
      worker.close();
      workerCloses++;
    }
    workers.add(worker());
  }

  private static void pause(int millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts the threads of a soak", e);
    }
  }

  private void callOnAndOn(Peer peer, String name) {
    for (int number = 0; !over; number++) {
      boolean idempotent = number % 2 == 0;
      String key = (idempotent ? "again " : "once ") + name + " " + number;
      started.increment();
      long begin = System.nanoTime();
      Outcome outcome = call(peer, idempotent, key);
      if (System.nanoTime() - begin > timeout.plus(LATE).toNanos()) {
        late.increment();
      }
      outcomes.put(key, outcome);
      if (outcome != Outcome.ANSWERED) {
        pause(PAUSE_MILLIS);
      }
    }
  }

  private Outcome call(Peer peer, boolean idempotent, String key) {
    try {
      CallBuilder call = peer.request(idempotent ? "again" : "once").args(key).timeout(timeout);
      if (idempotent) {
        call.idempotent();
      }
      return key.equals(call.call(String.class)) ? Outcome.ANSWERED : Outcome.WRONG;
    } catch (CallTimeoutException e) {
      return Outcome.TIMED_OUT;
    } catch (DisconnectedException e) {
      String why = String.valueOf(e.getMessage());
      return why.contains(UNKNOWN)
          ? Outcome.OUTCOME_UNKNOWN
          : why.contains(NOT_SENT) ? Outcome.NOT_SENT : Outcome.REFUSED;
    } catch (RemoteRpcException e) {
      return switch (e.code()) {
        case RpcError.OUTCOME_UNKNOWN -> Outcome.OUTCOME_UNKNOWN;
        case RpcError.BUSY -> Outcome.BUSY;
        default -> strange(e);
      };
    } catch (RuntimeException e) {
      return strange(e);
    }
  }

  private Outcome strange(RuntimeException e) {
    strange.computeIfAbsent(e.toString(), text -> new LongAdder()).increment();
    return Outcome.STRANGE;
  }

  // ---------------------------------------------------------------- the account

  private boolean report() throws IOException {
    Map<String, Integer> runs = new HashMap<>();
    for (int file = 1; file <= files; file++) {
      for (String key : Files.readAllLines(folder.resolve("keys." + file))) {
        runs.merge(key, 1, Integer::sum);
      }
    }
    Set<String> twice = new HashSet<>();
    runs.forEach((key, count) -> {
      if (count > 1) {
        twice.add(key);
      }
    });
    long onceTwice = twice.stream().filter(key -> key.startsWith("once")).count();
    long neverRun = count(Outcome.ANSWERED, key -> !runs.containsKey(key));
    long runThough = count(Outcome.NOT_SENT, runs::containsKey)
        + count(Outcome.REFUSED, runs::containsKey)
        + count(Outcome.BUSY, runs::containsKey);
    Map<String, Map<Outcome, Long>> table = new TreeMap<>();
    outcomes.forEach((key, outcome) -> table
        .computeIfAbsent(
            key.startsWith("once") ? "once" : "again", k -> new EnumMap<>(Outcome.class))
        .merge(outcome, 1L, Long::sum));
    System.out.printf(
        "%s killed: %d times; workers killed: %d, closed: %d%n",
        kind, brokerKills, workerKills, workerCloses);
    System.out.printf(
        "%,d calls started, %,d ended, %d of them more than %d s after their deadline%n",
        started.sum(), outcomes.size(), late.sum(), LATE.toSeconds());
    System.out.printf("not idempotent: %s%n", table.get("once"));
    System.out.printf("idempotent: %s%n", table.get("again"));
    System.out.printf(
        "run twice: %d not idempotent, %d idempotent; answered but not run: %d; run but reported as"
            + " not sent, refused or busy: %d%n",
        onceTwice, twice.size() - onceTwice, neverRun, runThough);
    strange.forEach((text, count) -> System.out.printf("! %s: %d%n", text, count.sum()));
    boolean addsUp = started.sum() == outcomes.size()
        && late.sum() == 0
        && onceTwice == 0
        && neverRun == 0
        && runThough == 0
        && strange.isEmpty()
        && !outcomes.containsValue(Outcome.WRONG);
    System.out.println(addsUp ? "it adds up" : "IT DOES NOT ADD UP");
    return addsUp;
  }

  private long count(Outcome outcome, Predicate<String> which) {
    return outcomes.entrySet().stream()
        .filter(each -> each.getValue() == outcome && which.test(each.getKey()))
        .count();
  }
}

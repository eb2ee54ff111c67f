package dev.repartee.benchmarks.soak;

import dev.repartee.CallBuilder;
import dev.repartee.CallTimeoutException;
import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.benchmarks.brokers.Broker;
import dev.repartee.broker.server.BrokerServer;
import dev.repartee.message.RpcError;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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

  /** The timeout where a lost worker is not detected: many calls end by it. */
  private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(3);

  /** The maximum time from the deadline of a call to its end, sufficient on a busy machine. */
  private static final Duration LATE = Duration.ofSeconds(5);

  /** The pause of a caller after a call that was not sent. */
  private static final int PAUSE_MILLIS = 100;

  /** The shortest pause between two losses, and the part that is random. */
  private static final int BETWEEN_MILLIS = 3_000;

  private static final int RANDOM_MILLIS = 2_000;

  /** The maximum time without a broker, besides its start. */
  private static final int AWAY_MILLIS = 1_500;

  private static final String SERVICE = "soak";
  private static final String UNKNOWN = "outcome is unknown";
  private static final String NOT_SENT = "not sent";

  private enum Kind {
    IDEMPOTENT,
    ONCE
  }

  /** The outcome of a call. */
  private enum Outcome {
    ANSWERED,
    /** The client has lost the broker, or the worker is lost: the call may have run. */
    OUTCOME_UNKNOWN,
    NOT_SENT,
    /** The broker has refused it: there is no queue, or no listener. */
    REFUSED,
    TIMED_OUT,
    BUSY,
    /** It ended with an exception that is not allowed. */
    STRANGE
  }

  /** The outcomes of calls that must not have run. */
  private static final Set<Outcome> NOT_RUN =
      Set.of(Outcome.NOT_SENT, Outcome.REFUSED, Outcome.BUSY);

  private final Account account = new Account();
  private final Broker kind;
  private final BrokerServer broker;
  private final String uri;
  private final Duration timeout;
  private final Path folder;
  private final Random random;
  private final List<BrokerSoakWorker> workers = new ArrayList<>();
  private final Map<String, Outcome> outcomes = new ConcurrentHashMap<>();
  private int files;
  private int brokerKills;
  private int workerKills;
  private int workerCloses;

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
    // The new one replaces the oldest one, which is the next to be lost.
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
    try (Peer peer = Repartee.connect(uri, BrokerSoakWorker.quiet())) {
      List<Caller> callers = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        callers.add(new Caller("caller-" + i, peer));
      }
      SoakThread.traffic(
          callers, time, () -> BETWEEN_MILLIS + random.nextInt(RANDOM_MILLIS), this::mischief);
    }
  }

  private void mischief() throws Exception {
    if (random.nextBoolean()) {
      broker.kill();
      brokerKills++;
      Thread.sleep(random.nextInt(AWAY_MILLIS));
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

  /** Makes one call after the other. */
  private final class Caller extends SoakThread {
    private final Peer peer;
    private int number;

    Caller(String name, Peer peer) {
      super(name, BrokerSoak.this.account);
      this.peer = peer;
    }

    @Override
    void step() throws InterruptedException {
      Kind kind = number % 2 == 0 ? Kind.IDEMPOTENT : Kind.ONCE;
      String key = kind + " " + getName() + " " + number++;
      account.started(kind);
      long begin = System.nanoTime();
      Outcome outcome = BrokerSoak.this.call(peer, kind, key);
      if (System.nanoTime() - begin > timeout.plus(LATE).toNanos()) {
        account.fault("ended late: " + key);
      }
      outcomes.put(key, outcome);
      account.ended(kind, outcome);
      if (outcome != Outcome.ANSWERED) {
        Thread.sleep(PAUSE_MILLIS);
      }
    }
  }

  private Outcome call(Peer peer, Kind kind, String key) {
    try {
      boolean idempotent = kind == Kind.IDEMPOTENT;
      CallBuilder call = peer.request(idempotent ? "again" : "once").args(key).timeout(timeout);
      if (idempotent) {
        call.idempotent();
      }
      if (!key.equals(call.call(String.class))) {
        account.fault("the answer of another call: " + key);
      }
      return Outcome.ANSWERED;
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
    account.fault(e.toString());
    return Outcome.STRANGE;
  }

  // ---------------------------------------------------------------- the account

  private boolean report() throws IOException {
    Counts runs = new Counts();
    for (int file = 1; file <= files; file++) {
      Files.readAllLines(folder.resolve("keys." + file)).forEach(runs::add);
    }
    int again = 0;
    for (Map.Entry<String, Outcome> call : outcomes.entrySet()) {
      long count = runs.of(call.getKey());
      if (count > 1 && call.getKey().startsWith(Kind.ONCE.name())) {
        account.fault("run twice: " + call.getKey());
      } else if (count > 1) {
        again++;
      }
      if (count == 0 && call.getValue() == Outcome.ANSWERED) {
        account.fault("answered but not run: " + call.getKey());
      } else if (count > 0 && NOT_RUN.contains(call.getValue())) {
        account.fault("run but reported as " + call.getValue() + ": " + call.getKey());
      }
    }
    System.out.printf(
        "%s killed: %d times; workers killed: %d, closed: %d%n",
        kind, brokerKills, workerKills, workerCloses);
    System.out.printf("calls: %s%nidempotent calls run twice: %d%n", account.table(), again);
    System.out.println(account.addsUp() ? "it adds up" : "IT DOES NOT ADD UP");
    return account.addsUp();
  }
}

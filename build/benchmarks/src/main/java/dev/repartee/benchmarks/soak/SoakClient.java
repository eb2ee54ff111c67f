package dev.repartee.benchmarks.soak;

import dev.repartee.Batch;
import dev.repartee.CallFuture;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.benchmarks.soak.SoakAccount.Kind;
import dev.repartee.benchmarks.soak.SoakAccount.Outcome;
import dev.repartee.limits.LimitException;
import dev.repartee.testkit.fault.Fault;
import dev.repartee.testkit.fault.FaultChannel;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A client of a soak: calls in all ways, and reconnects when its connection has ended. */
final class SoakClient extends SoakThread {
  static final String OPENED = "opened";
  static final String ENDED = "ended in order";
  static final String LOST = "lost";

  /** The shared counters of all clients, besides their calls. */
  record Counters(Counts connections, Counts notifications, Counts violations) {
    Counters() {
      this(new Counts(), new Counts(), new Counts());
    }

    /** Returns a listener that counts connections and protocol violations. */
    Listener listener() {
      return new Listener() {
        @Override
        public void connected(Peer peer) {
          connections.add(OPENED);
        }

        @Override
        public void disconnected(Peer peer, @Nullable Throwable cause) {
          connections.add(cause == null ? ENDED : LOST);
        }

        @Override
        public void violation(ChannelInfo channel, String what) {
          violations.add(what.replaceAll("[,;:0-9].*", "").strip());
        }
      };
    }
  }

  /** The time-out of calls, since an answer may be lost. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Duration HASTE = Duration.ofMillis(30);

  /** Calls in flight. */
  private static final int WINDOW = 8;

  /** The maximum number of steps on one connection. */
  private static final int STEPS = 3_000;

  private static final int LARGE = 1 << 20;
  private static final String LOAD = "0123456789abcde\n\u00e9\u4e16".repeat(LARGE / 16);

  private final Endpoint endpoint;
  private final boolean duplex;
  private final Service service;
  private final Options options;
  private final SoakAccount calls;
  private final Counters counters;
  private final Random random;
  private final Semaphore window = new Semaphore(WINDOW);

  /** True if a call has failed recently because of the connection. */
  private volatile boolean broken;

  private int number;

  SoakClient(
      Endpoint endpoint, Service service, SoakAccount account, Counters counters, Random random) {
    super("soak-" + endpoint.scheme(), account);
    this.endpoint = endpoint;
    this.duplex = !endpoint.scheme().equals("http");
    this.service = service;
    this.options = Options.builder().listener(counters.listener()).build();
    this.calls = account;
    this.counters = counters;
    this.random = random;
  }

  @Override
  void last() throws InterruptedException {
    window.acquire(WINDOW);
  }

  @Override
  void step() throws InterruptedException {
    try (Peer peer = connect()) {
      int steps = 1 + random.nextInt(STEPS);
      for (int i = 0; i < steps && !isOver() && peer.isOpen(); i++) {
        call(peer);
        pauseIfBroken();
      }
    } catch (IOException e) {
      counters.connections.add("not opened");
      pause();
    }
  }

  /** Pauses after a failure, since calls on a broken connection fail immediately. */
  private void pauseIfBroken() throws InterruptedException {
    if (broken) {
      broken = false;
      pause();
    }
  }

  private void pause() throws InterruptedException {
    Thread.sleep(20 + random.nextInt(80));
  }

  private Peer connect() throws IOException {
    Channel channel = Transport.open(endpoint, options.limits(), options.headers());
    boolean faulty = duplex && random.nextInt(4) == 0;
    return Peer.open(faulty ? FaultChannel.on(channel, frameFault()) : channel, service, options);
  }

  private Fault frameFault() {
    long at = (long) Math.pow(4 << 20, random.nextDouble());
    return switch (random.nextInt(5)) {
      case 0 -> Fault.delay(Duration.ofMillis(random.nextInt(3)));
      case 1 -> Fault.corrupt(at);
      case 2 -> Fault.cut(at);
      default -> Fault.duplicate(at);
    };
  }

  private void call(Peer peer) throws InterruptedException {
    switch (random.nextInt(12)) {
      case 0 -> call(peer, Kind.LARGE, "work", load(LARGE), PATIENCE);
      case 1 -> notification(peer);
      case 2 -> batch(peer);
      case 3 -> cancelled(peer);
      case 4 -> progress(peer);
      case 5 -> call(peer, Kind.SHORT_OF_TIME, "sleep", "", HASTE);
      case 6, 7 -> ask(peer);
      case 8 -> call(peer, Kind.CALL, "quick", load(1_000), PATIENCE);
      default -> call(peer, Kind.CALL, "work", load(100_000), PATIENCE);
    }
  }

  private String load(int most) {
    return LOAD.substring(0, (int) Math.pow(most, random.nextDouble()));
  }

  private @Nullable CallFuture<String> call(
      Peer peer, Kind kind, String method, String load, Duration timeout)
      throws InterruptedException {
    return start(
        kind,
        load,
        key -> peer.request(method).args(key, load).timeout(timeout).send(String.class));
  }

  /** Sends a call with that number. */
  private interface Sending {
    CallFuture<String> send(int number);
  }

  private @Nullable CallFuture<String> start(Kind kind, String load, Sending sending)
      throws InterruptedException {
    window.acquire();
    int key = ++number;
    Supplier<CallFuture<String>> send = () -> sending.send(key);
    CallFuture<String> future = calls.start(kind, send, SoakMethods.answer(key, load));
    if (future == null) {
      broken = true;
      window.release();
    } else {
      future.whenComplete((answer, failure) -> {
        if (failure != null && Outcome.of(failure) == Outcome.DISCONNECTED) {
          broken = true;
        }
        window.release();
      });
    }
    return future;
  }

  private void notification(Peer peer) {
    counters.notifications.add("started");
    try {
      peer.notify("note", ++number);
    } catch (DisconnectedException | LimitException e) {
      counters.notifications.add("not sent");
    }
  }

  private void batch(Peer peer) throws InterruptedException {
    Batch batch = peer.batch();
    int calls = 1 + random.nextInt(WINDOW / 2);
    for (int i = 0; i < calls; i++) {
      String load = load(5_000);
      start(
          Kind.IN_BATCH,
          load,
          key -> batch.callAsync(
              peer.request("work").args(key, load).timeout(PATIENCE), String.class));
      batch.notify("note", ++number);
    }
    try {
      batch.send();
    } catch (DisconnectedException | LimitException e) {
      // The futures of the calls fail with the same reason.
    }
  }

  private void cancelled(Peer peer) throws InterruptedException {
    CallFuture<String> call = call(peer, Kind.TO_BE_CANCELLED, "sleep", "", PATIENCE);
    if (call != null) {
      if (random.nextBoolean()) {
        Thread.sleep(1);
      }
      call.cancel(true);
    }
  }

  private void progress(Peer peer) throws InterruptedException {
    String load = load(1_000);
    start(
        Kind.PROGRESS,
        load,
        key -> peer.request("report")
            .args(key, load)
            .timeout(PATIENCE)
            .onProgress(value -> {})
            .send(String.class));
  }

  private void ask(Peer peer) throws InterruptedException {
    if (duplex) {
      call(peer, Kind.ASK, "ask", load(20_000), PATIENCE.plus(PATIENCE));
    }
  }
}

package dev.repartee.benchmarks.soak;

import dev.repartee.Call;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.testkit.fault.FaultProxy;
import dev.repartee.testkit.fault.Faults;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/**
 * Clients receive streams over all transports of one process, and connections end on both sides at
 * any time. At the end each stream has ended once, its items were in order, each publisher was
 * closed, and no memory is held.
 */
final class StreamSoak implements AutoCloseable {
  /** The clients at each endpoint; every second one reconnects by itself. */
  private static final int CLIENTS = 2;

  /** The maximum pause between two ends of connections. */
  private static final int BETWEEN_MILLIS = 1_000;

  /** The maximum time to the release of all resources after the last stream. */
  private static final Duration SETTLING = Duration.ofSeconds(60);

  private final Random random;
  private final StreamAccount account = new StreamAccount();
  private final StreamMethods methods = new StreamMethods();
  private final LongAdder connections = new LongAdder();
  private final Counts violations = new Counts();
  private final List<Server> servers = new ArrayList<>();
  private final List<FaultProxy> proxies = new ArrayList<>();
  private final List<Endpoint> ends = new ArrayList<>();
  private int severed;
  private int closedByServer;

  private final Options options = Options.builder()
      .listener(new Listener() {
        @Override
        public void violation(ChannelInfo channel, String what) {
          violations.add(what.replaceAll("[0-9].*", "").strip());
        }

        @Override
        public void failed(Call call, Throwable cause) {
          account.fault("Listener.failed: " + cause);
        }
      })
      .build();

  private StreamSoak(long seed) throws IOException {
    random = new Random(seed);
    Service service = Service.of(methods);
    Server tcp = listen("tcp://127.0.0.1:0", service);
    Server http = listen("http://127.0.0.1:0/", service);
    Server memory = listen("mem:soak", service);
    ends.add(proxy("tcp://127.0.0.1:0", tcp));
    Endpoint web = proxy("http://127.0.0.1:0/", http);
    ends.add(web);
    ends.add(Endpoint.parse(web.toString().replaceFirst("http", "ws")));
    ends.add(memory.endpoint());
  }

  private Server listen(String uri, Service service) throws IOException {
    Server server = Repartee.listen(uri, service, options);
    servers.add(server);
    return server;
  }

  private Endpoint proxy(String place, Server server) throws IOException {
    FaultProxy proxy = FaultProxy.at(Endpoint.parse(place), server::endpoint, () -> Faults.NONE);
    proxies.add(proxy);
    return proxy.endpoint();
  }

  /** Runs the soak and prints its account; returns whether it adds up. */
  static boolean run(Duration time, long seed) throws Exception {
    try (StreamSoak soak = new StreamSoak(seed)) {
      return soak.soak(time);
    }
  }

  private boolean soak(Duration time) throws Exception {
    traffic(time.dividedBy(10));
    boolean releasedBefore = isReleased();
    Footprint before = Footprint.settled(Footprint::now, null);
    traffic(time.dividedBy(10).multipliedBy(9));
    boolean released = isReleased() && releasedBefore;
    Footprint after = Footprint.settled(Footprint::now, before);
    boolean flat = Footprint.held("the process", before, after);
    System.out.printf("streams: %s%nitems: %,d%n", account.table(), account.items.sum());
    System.out.printf(
        Locale.ROOT,
        "connections: %,d opened; all severed by a proxy %d times; %d closed by a server%n",
        connections.sum(),
        severed,
        closedByServer);
    System.out.printf(
        Locale.ROOT,
        "publishers: %,d opened, %,d closed; connections of servers: %d; bytes held: %d and %d%n",
        methods.opened.sum(),
        methods.closed.sum(),
        peers(),
        MemoryBudget.ofProcess().held(),
        MemoryBudget.ofAnswers().held());
    System.out.printf("violations: %s%n", violations);
    boolean addsUp = account.addsUp() && released && flat;
    System.out.println(addsUp ? "\nit adds up" : "\nIT DOES NOT ADD UP");
    return addsUp;
  }

  /** Runs clients for {@code time}, and ends connections meanwhile. */
  private void traffic(Duration time) throws Exception {
    List<StreamClient> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS * ends.size(); i++) {
      boolean reconnects = i >= ends.size();
      Random choices = new Random(random.nextLong());
      clients.add(new StreamClient(
          ends.get(i % ends.size()), reconnects, options, account, connections, choices));
    }
    SoakThread.traffic(clients, time, () -> 1 + random.nextInt(BETWEEN_MILLIS), this::mischief);
  }

  private void mischief() {
    FaultProxy proxy = proxies.get(random.nextInt(proxies.size()));
    switch (random.nextInt(4)) {
      case 0 -> {
        proxy.reset();
        severed++;
      }
      case 1 -> {
        proxy.cut();
        severed++;
      }
      default -> {
        Server server = servers.get(random.nextInt(servers.size()));
        for (Peer peer : server.peers()) {
          peer.close(Duration.ZERO);
          closedByServer++;
        }
      }
    }
  }

  private int peers() {
    return servers.stream().mapToInt(server -> server.peers().size()).sum();
  }

  /** Waits until all publishers are closed and no bytes are held; returns whether they are. */
  private boolean isReleased() throws InterruptedException {
    long end = System.nanoTime() + SETTLING.toNanos();
    while (true) {
      boolean released = methods.opened.sum() == methods.closed.sum()
          && peers() == 0
          && MemoryBudget.ofProcess().held() == 0
          && MemoryBudget.ofAnswers().held() == 0;
      if (released || System.nanoTime() > end) {
        return released;
      }
      Thread.sleep(10);
    }
  }

  @Override
  public void close() throws IOException {
    for (FaultProxy proxy : proxies) {
      proxy.close();
    }
    servers.forEach(server -> server.close(Duration.ZERO));
  }
}

package dev.repartee.benchmarks.soak;

import dev.repartee.Service;
import dev.repartee.benchmarks.brokers.Broker;
import dev.repartee.testkit.fault.Fault;
import dev.repartee.testkit.fault.FaultProxy;
import dev.repartee.testkit.fault.Faults;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command: see its {@code --help}. */
@Command(
    name = "build/benchmarks/soak",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Clients call two servers in all ways and over every transport, through",
      "proxies that behave like a bad network. One of the servers is killed and",
      "restarted again and again. At the end every call must be accounted for, and",
      "heap, threads and open files must be back at their level after a tenth of the",
      "time; if not, the exit code is 1.%n"
    })
public final class Soak implements Callable<Integer> {
  private static final int CLIENTS = 2;

  /** One in this number of connections has faults. */
  private static final int FAULTY = 2;

  /** A fault happens within this number of bytes. */
  private static final long WITHIN = 4 << 20;

  @Option(
      names = "--minutes",
      description = "the duration in minutes; 20 by default",
      paramLabel = "N")
  private double minutes = 20;

  @Option(
      names = "--seed",
      description = "the seed of the random numbers; it is printed",
      paramLabel = "N")
  private long seed = System.nanoTime() & 0xFFFFFF;

  @Option(
      names = "--broker",
      description = "call workers through this broker instead, ${COMPLETION-CANDIDATES}: it is"
          + " killed again and again, and so are the workers",
      paramLabel = "NAME")
  private @Nullable Broker broker;

  @Option(
      names = "--streams",
      description = "receive streams instead, over all transports of one process: subscribers"
          + " cancel, are slow, or lose their connections")
  private boolean streams;

  @Option(
      names = "--restarts",
      description =
          "restart two servers in turn instead, and call them through a peer of both, over"
              + " ${COMPLETION-CANDIDATES}: first they close in order, then they are killed",
      paramLabel = "SCHEME")
  private RestartSoak.@Nullable Scheme restarts;

  @Option(
      names = "--rounds",
      description = "the number of restarts of each server; 10 by default",
      paramLabel = "N")
  private int rounds = 10;

  @Option(
      names = "--rate",
      description = "the number of calls a second during restarts; 500 by default",
      paramLabel = "N")
  private int rate = 500;

  private final SoakAccount account = new SoakAccount();
  private final SoakClient.Counters counters = new SoakClient.Counters();
  private final Service service = new SoakMethods(account).service();
  private final Counts faults = new Counts();
  private final List<FaultProxy> proxies = new ArrayList<>();
  private Random random = new Random(0);
  private int killed;
  private int severed;

  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @SuppressWarnings("NullAway.Init")
  private SoakServer steady;

  @SuppressWarnings("NullAway.Init")
  private volatile SoakServer mortal;

  /** Runs the command; exits with 2 on a usage error. */
  public static void main(String[] args) {
    System.exit(
        new CommandLine(new Soak()).setCaseInsensitiveEnumValuesAllowed(true).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    random = new Random(seed);
    if (restarts != null) {
      boolean addsUp = true;
      for (RestartSoak.End end : RestartSoak.End.values()) {
        addsUp &= RestartSoak.run(restarts, end, rounds, rate).addsUp();
      }
      return addsUp ? 0 : 1;
    }
    System.out.printf(
        "soak for %s minutes with --seed %d on JDK %s%n",
        minutes, seed, System.getProperty("java.version"));
    Duration time = Duration.ofMillis((long) (minutes * 60_000));
    if (broker != null) {
      return BrokerSoak.run(broker, time, seed) ? 0 : 1;
    }
    if (streams) {
      return StreamSoak.run(time, seed) ? 0 : 1;
    }
    folder = Files.createTempDirectory("soak");
    steady = SoakServer.start(folder.resolve("steady.sock"));
    mortal = SoakServer.start(folder.resolve("mortal.sock"));
    try {
      return soak(time) ? 0 : 1;
    } finally {
      for (FaultProxy proxy : proxies) {
        proxy.close();
      }
      steady.close();
      mortal.close();
      Files.deleteIfExists(folder.resolve("steady.sock"));
      Files.deleteIfExists(folder.resolve("mortal.sock"));
      Files.delete(folder);
    }
  }

  private boolean soak(Duration time) throws Exception {
    List<Endpoint> ends = new ArrayList<>();
    ends.addAll(proxies("steady", () -> steady));
    ends.addAll(proxies("mortal", () -> mortal));
    traffic(ends, time.dividedBy(10));
    Footprint clientBefore = Footprint.settled(Footprint::now, null);
    Footprint serverBefore = Footprint.settled(steady::footprint, null);
    traffic(ends, time.dividedBy(10).multipliedBy(9));
    Footprint clientAfter = Footprint.settled(Footprint::now, clientBefore);
    Footprint serverAfter = Footprint.settled(steady::footprint, serverBefore);
    return report(Footprint.held("the clients' process", clientBefore, clientAfter)
        & Footprint.held("the server's process", serverBefore, serverAfter));
  }

  // ---------------------------------------------------------------- the network

  /**
   * Starts proxies in front of a server; returns the endpoints for the clients, one of each kind.
   */
  private List<Endpoint> proxies(String name, Supplier<SoakServer> server) throws IOException {
    Endpoint tcp = proxy("tcp://127.0.0.1:0", server, SoakServer.Door.TCP);
    Endpoint unix = proxy("unix:" + folder.resolve(name + ".proxy"), server, SoakServer.Door.UNIX);
    Endpoint http = proxy("http://127.0.0.1:0/", server, SoakServer.Door.HTTP);
    return List.of(
        tcp,
        Endpoint.parse(tcp + "#framing=content-length"),
        unix,
        http,
        Endpoint.parse(http.toString().replaceFirst("http", "ws")));
  }

  private Endpoint proxy(String place, Supplier<SoakServer> server, SoakServer.Door door)
      throws IOException {
    FaultProxy proxy =
        FaultProxy.at(Endpoint.parse(place), () -> server.get().at(door), this::faults);
    proxies.add(proxy);
    return proxy.endpoint();
  }

  private Faults faults() {
    return random.nextInt(FAULTY) == 0 ? new Faults(fault(), fault()) : Faults.NONE;
  }

  private Fault fault() {
    Fault fault = random.nextInt(4) == 0 ? Fault.NONE : Fault.random(random, WITHIN);
    faults.add(fault.toString().replaceAll(" .*", ""));
    return fault;
  }

  // ---------------------------------------------------------------- the traffic

  /**
   * Runs the clients for {@code time}, kills servers and breaks connections; then ends all clients.
   */
  private void traffic(List<Endpoint> ends, Duration time) throws Exception {
    List<SoakClient> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS * ends.size(); i++) {
      Endpoint end = ends.get(i % ends.size());
      clients.add(new SoakClient(end, service, account, counters, new Random(random.nextLong())));
    }
    SoakThread.traffic(clients, time, () -> 500 + random.nextInt(5_000), this::mischief);
  }

  private void mischief() throws Exception {
    FaultProxy proxy = proxies.get(random.nextInt(proxies.size()));
    switch (random.nextInt(3)) {
      case 0 -> {
        mortal.kill();
        mortal = SoakServer.start(folder.resolve("mortal.sock"));
        killed++;
      }
      case 1 -> {
        proxy.reset();
        severed++;
      }
      default -> {
        proxy.cut();
        severed++;
      }
    }
  }

  // ---------------------------------------------------------------- the account

  private boolean report(boolean nothingHeld) throws IOException {
    String server = steady.account();
    Counts connections = counters.connections();
    long open = connections.of(SoakClient.OPENED)
        - connections.of(SoakClient.ENDED)
        - connections.of(SoakClient.LOST);
    System.out.printf("%ncalls of the clients: %s%n", account.table());
    System.out.printf("connections: %s, without a reported end: %d%n", connections, open);
    System.out.printf("notifications: %s%n", counters.notifications());
    System.out.printf("violations seen by clients: %s%n", counters.violations());
    System.out.printf("faults on new connections: %s%n", faults);
    System.out.printf("servers killed: %d; all connections severed: %d times%n", killed, severed);
    System.out.printf("%ncalls of the server that was not killed: %s%n", server);
    boolean addsUp = account.addsUp() && server.endsWith("true") && nothingHeld && open == 0;
    System.out.println(addsUp ? "\nit adds up" : "\nIT DOES NOT ADD UP");
    return addsUp;
  }
}

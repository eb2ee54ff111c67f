package dev.repartee.benchmarks.brokers;

import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.process.Child;
import dev.repartee.benchmarks.process.CpuUse;
import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.report.Goal;
import dev.repartee.benchmarks.report.Section;
import dev.repartee.benchmarks.report.Statistics;
import dev.repartee.broker.server.BrokerServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Measures calls through each broker beside the same round trip with the client library of the
 * broker: a client and a worker with a handler that answers at once, then several workers with a
 * handler that takes its time. Clients and workers are processes; the contestants take turns.
 */
public final class Brokers {
  private static final double GOAL = 0.85;

  /** The first contestants of a broker: Repartee, and the library with the same guarantees. */
  private static final int COMPARED = 2;

  private static final int CONCURRENT = 64;

  /** The numbers of workers that share calls. */
  private static final int[] WORKERS = {1, 2, 4};

  private static final int MOST_WORKERS = 4;

  /** The most handlers that run at the same time in a worker. */
  private static final int BOUND = 4;

  /** The calls in flight for each handler: enough that a handler need not wait for the next. */
  private static final int FOR_EACH = 2;

  /** The maximum number of rounds of the warm-up: for handlers that answer at once, and others. */
  private static final int WARM_UPS = 16;

  private static final int SLOW_WARM_UPS = 8;

  /** The number of rounds in a row without an improvement that ends the warm-up. */
  private static final int STEADY = 4;

  /** The factor by which a sample must beat the best earlier one to count as an improvement. */
  private static final double FASTER = 1.04;

  /**
   * A series of calls.
   *
   * @param service the last part of the URI
   * @param workers the number of workers of this service
   * @param bound see {@link Library#serve}
   */
  private record Load(String service, int workers, int bound, int inFlight) {
    static final Load SINGLE = new Load("quick", 1, 0, 1);
    static final Load MANY = new Load("quick", 1, 0, CONCURRENT);

    static Load slow(int workers) {
      return new Load("slow" + workers, workers, BOUND, workers * BOUND * FOR_EACH);
    }

    static List<Load> all() {
      // Many calls first: they give the compilers of the JVMs the most to see.
      List<Load> all = new ArrayList<>(List.of(MANY, SINGLE));
      for (int workers : WORKERS) {
        all.add(slow(workers));
      }
      return all;
    }

    double ideal() {
      return workers * bound * 1_000.0 / Library.HANDLER_MILLIS;
    }

    @Override
    public String toString() {
      return bound == 0 ? inFlight + " in flight" : workers + " workers";
    }
  }

  /** The figures of one contestant under one load. */
  private static final class Figures {
    final List<Sample> samples = new ArrayList<>();

    /** The CPU time of a call in microseconds: of the client and of the first worker. */
    final List<Double> client = new ArrayList<>();

    final List<Double> worker = new ArrayList<>();

    double median(ToDoubleFunction<Sample> figure) {
      return Statistics.median(samples.stream().mapToDouble(figure));
    }

    double rate() {
      return median(Sample::rate);
    }

    String latency() {
      return String.format(
          Locale.ROOT, "%,.0f / %,.0f", median(Sample::median), median(Sample::tail));
    }

    String cpu() {
      return String.format(
          Locale.ROOT, "%.0f + %.0f", Brokers.median(client), Brokers.median(worker));
    }
  }

  /** The processes of one contestant, and its figures. */
  private static final class Team implements AutoCloseable {
    final Contestant contestant;
    final Map<Load, Figures> figures = new LinkedHashMap<>();
    private final BrokerServer broker;
    private final List<Child> workers = new ArrayList<>();
    private final Child client;

    Team(Jvm jvm, Path log, BrokerServer broker, Contestant contestant) throws IOException {
      this.contestant = contestant;
      this.broker = broker;
      this.client = new Child(jvm.client(BrokerClientMain.class, contestant.name()), log);
      for (int i = 0; i < MOST_WORKERS; i++) {
        workers.add(new Child(jvm.smallServer(BrokerWorkerMain.class, contestant.name()), log));
      }
      serve(Load.SINGLE);
      for (int workers : WORKERS) {
        serve(Load.slow(workers));
      }
    }

    private String service(Load load) {
      return contestant.name().toLowerCase(Locale.ROOT) + "-" + load.service;
    }

    private void serve(Load load) throws IOException {
      for (int i = 0; i < load.workers; i++) {
        workers.get(i).say(broker.uri(service(load), i) + " " + load.bound);
        workers.get(i).hear();
      }
    }

    double rate(Load load, Duration slice) throws IOException {
      return run(load, slice).rate();
    }

    private Sample run(Load load, Duration slice) throws IOException {
      client.say(broker.uri(service(load)) + " " + load.inFlight + " " + slice.toMillis());
      return Sample.of(client.hear());
    }

    void sample(Load load, Duration slice) throws IOException {
      double client = CpuUse.secondsOf(this.client.pid());
      double worker = CpuUse.secondsOf(workers.get(0).pid());
      long began = System.nanoTime();
      Sample sample = run(load, slice);
      double calls = sample.rate() * (System.nanoTime() - began) / 1e9;
      Figures own = of(load);
      own.samples.add(sample);
      if (calls > 0) {
        own.client.add((CpuUse.secondsOf(this.client.pid()) - client) * 1e6 / calls);
        own.worker.add((CpuUse.secondsOf(workers.get(0).pid()) - worker) * 1e6 / calls);
      }
    }

    Figures of(Load load) {
      return figures.computeIfAbsent(load, key -> new Figures());
    }

    @Override
    public void close() {
      client.close();
      workers.forEach(Child::close);
    }
  }

  private final StringBuilder text = new StringBuilder();
  private final List<Goal> goals = new ArrayList<>();

  private Brokers() {}

  /**
   * Measures all contestants of the wanted brokers that are installed.
   *
   * @param rounds the number of samples of each figure
   * @param slice the time of a sample
   */
  public static Section run(Jvm jvm, Path log, List<Broker> wanted, int rounds, Duration slice)
      throws IOException {
    Brokers brokers = new Brokers();
    brokers.introduce();
    for (Broker broker : wanted) {
      String missing = broker.missing();
      if (missing == null) {
        brokers.measure(broker, jvm, log, rounds, slice);
      } else {
        brokers.add("%n### %s%n%nNot measured: %s.%n", broker.label, missing);
      }
    }
    return new Section(brokers.text.toString(), brokers.goals, List.of(), List.of());
  }

  private void add(String format, Object... args) {
    text.append(String.format(Locale.ROOT, format, args));
  }

  private static double median(List<Double> samples) {
    return Statistics.median(samples.stream().mapToDouble(Double::doubleValue));
  }

  // ---------------------------------------------------------------- the measurements

  private void measure(Broker broker, Jvm jvm, Path log, int rounds, Duration slice)
      throws IOException {
    List<Team> teams = new ArrayList<>();
    try (BrokerServer server = broker.start()) {
      try {
        for (Contestant contestant : Contestant.of(broker)) {
          teams.add(new Team(jvm, log, server, contestant));
        }
        for (Load load : Load.all()) {
          List<Team> measured = load.bound == 0 ? teams : teams.subList(0, COMPARED);
          warmUp(broker, load, slice, measured);
          for (int round = 1; round <= rounds; round++) {
            System.err.printf("%s, %s: round %d of %d%n", broker.label, load, round, rounds);
            for (Team team : order(round, measured)) {
              team.sample(load, slice);
            }
          }
        }
      } finally {
        teams.forEach(Team::close);
      }
    }
    report(broker, teams);
  }

  /** Calls, in turns, until the rate of no contestant improves. */
  private static void warmUp(Broker broker, Load load, Duration slice, List<Team> teams)
      throws IOException {
    Map<Team, Double> best = new LinkedHashMap<>();
    int most = load.bound == 0 ? WARM_UPS : SLOW_WARM_UPS;
    int steady = 0;
    for (int round = 0; round < most && steady < STEADY; round++) {
      System.err.printf("%s, %s: warming up, round %d%n", broker.label, load, round);
      steady++;
      for (Team team : teams) {
        double rate = team.rate(load, slice);
        if (rate > best.getOrDefault(team, 0.0) * FASTER) {
          best.put(team, rate);
          steady = 0;
        }
      }
    }
  }

  /** Returns the contestants, in reverse order in every second round. */
  private static List<Team> order(int round, List<Team> teams) {
    List<Team> order = new ArrayList<>(teams);
    if (round % 2 != 0) {
      Collections.reverse(order);
    }
    return order;
  }

  // ---------------------------------------------------------------- the report

  private void introduce() {
    add(
        "## Brokers%n%nA client calls a worker through a broker on the same machine: a call of 64 "
            + "bytes, an answer of 40. Beside Repartee,%nthe client library of the broker does the "
            + "same round trip with prepared texts. With RabbitMQ both use direct reply-to,%nmanual "
            + "acknowledgements, the same prefetch, mandatory messages that are confirmed and "
            + "expire with their call; the third%nrow is the library as in the tutorial of RabbitMQ, "
            + "where a call that the broker does not take waits for ever. With%nNATS both call a "
            + "queue group. With ZeroMQ a DEALER calls a ROUTER through a process with the proxy of "
            + "ZeroMQ, on JeroMQ;%nany thread may call, since one thread owns the socket. In the "
            + "third row the caller owns it, as in the guide of ZeroMQ.%nLatency is the median and "
            + "the 99th percentile in microseconds, CPU the time of the client and of the worker "
            + "for a call%nin microseconds. The broker runs on the same CPUs.%n%n"
            + "Then %s workers, processes with at most %d running handlers of %d ms each, share the "
            + "calls; %d calls are in flight%nfor each of these handlers. All figures are medians of "
            + "samples in turns.%n",
        "1, 2 or 4", BOUND, Library.HANDLER_MILLIS, FOR_EACH);
  }

  private void report(Broker broker, List<Team> teams) {
    add(
        "%n### %s%n%n| | calls a second | latency | CPU | %d in flight | latency | CPU |%n"
            + "|---|---|---|---|---|---|---|%n",
        broker.label, CONCURRENT);
    for (Team team : teams) {
      add("| %s |", team.contestant.label);
      for (Load load : List.of(Load.SINGLE, Load.MANY)) {
        Figures figures = team.of(load);
        add(" %,.0f | %s | %s |", figures.rate(), figures.latency(), figures.cpu());
      }
      add("%n");
    }
    add("%n| handlers of %d ms |", Library.HANDLER_MILLIS);
    for (int workers : WORKERS) {
      add(" %d worker%s |", workers, workers == 1 ? "" : "s");
    }
    add("%n|---|%s%n", "---|".repeat(WORKERS.length));
    for (Team team : teams.subList(0, COMPARED)) {
      add("| %s |", team.contestant.label);
      for (int workers : WORKERS) {
        add(" %,.0f |", team.of(Load.slow(workers)).rate());
      }
      add("%n");
    }
    add("| all handlers busy |");
    for (int workers : WORKERS) {
      add(" %,.0f |", Load.slow(workers).ideal());
    }
    add("%n");
    for (Load load : Load.all()) {
      goals.add(goal(broker, load, teams));
    }
  }

  private static Goal goal(Broker broker, Load load, List<Team> teams) {
    List<Double> rates = teams.stream().map(team -> team.of(load).rate()).toList();
    Goal.Bound bound = Goal.Bound.atLeast(GOAL);
    return new Goal(
        "through " + broker.label + ": " + name(load) + ", to " + teams.get(1).contestant.label,
        "calls a second",
        bound,
        rates.get(0) / rates.get(1),
        teams.size() > COMPARED && load.bound == 0
            ? bound.said(rates.get(0) / rates.get(COMPARED)) + " to "
                + teams.get(COMPARED).contestant.label
            : "",
        tried(broker, load));
  }

  private static String name(Load load) {
    if (load.bound > 0) {
      return load.workers == 1 ? "a worker with handlers of 5 ms" : load.workers + " workers";
    }
    return load.inFlight == 1 ? "one call at a time" : load.inFlight + " calls at a time";
  }

  private static String tried(Broker broker, Load load) {
    if (load.bound > 0) {
      return "";
    }
    return switch (broker) {
      case RABBITMQ ->
        "Client and worker take about the CPU time of the library. A confirm or a reply does not "
            + "wake the sender of the client any more unless it has something to send.";
      case NATS ->
        "A client takes about the CPU time of the library, since a call is sent on the thread of "
            + "its caller. In the worker the library takes a fifth of the time to parse the two "
            + "headers of a call, its window and its deadline.";
      case ZEROMQ ->
        "A call is handed to the thread of the sockets by its caller, and the calls and replies of "
            + "a burst are written together. A header with the key and the deadline makes a message "
            + "twice as long as that of the library.";
    };
  }
}

package dev.repartee.benchmarks.brokers;

import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.load.Tally;
import dev.repartee.benchmarks.load.Turns;
import dev.repartee.benchmarks.process.Child;
import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.report.Goal;
import dev.repartee.benchmarks.report.Section;
import dev.repartee.benchmarks.report.Text;
import dev.repartee.broker.server.BrokerServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Measures calls through each broker in comparison with the same round trip with the client library
 * of the broker: a client and a worker with a handler that answers immediately, then several
 * workers with a handler that sleeps. Clients and workers are processes; the competitors take
 * turns.
 */
public final class Brokers {
  private static final Goal.Bound GOAL = Goal.Bound.atLeast(0.85);

  /** The first competitors of a broker: Repartee, and the library with the same guarantees. */
  private static final int COMPARED = 2;

  private static final int CONCURRENT = 64;
  private static final int MOST_WORKERS = 4;

  /** The most handlers that run at the same time in a worker. */
  private static final int BOUND = 4;

  /** The calls in flight for each handler: enough that a handler need not wait for the next. */
  private static final int FOR_EACH = 2;

  /** The maximum number of rounds of the warm-up: for handlers that answer, and that sleep. */
  private static final int WARM_UPS = 16;

  private static final int SLOW_WARM_UPS = 8;
  private static final int STEADY = 4;

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

    /** The loads with 1, 2 and 4 workers that sleep. */
    static final List<Load> SLOW = IntStream.of(1, 2, MOST_WORKERS)
        .mapToObj(n -> new Load("slow" + n, n, BOUND, n * BOUND * FOR_EACH))
        .toList();

    /** Returns all; many calls first, which give the compilers of the JVMs the most to see. */
    static List<Load> all() {
      return Stream.concat(Stream.of(MANY, SINGLE), SLOW.stream()).toList();
    }

    double ideal() {
      return workers * bound * 1_000.0 / Library.HANDLER_MILLIS;
    }

    String title() {
      if (bound > 0) {
        return workers == 1 ? "a worker with handlers of 5 ms" : workers + " workers";
      }
      return inFlight == 1 ? "one call at a time" : inFlight + " calls at a time";
    }
  }

  /** The processes of one competitor, and its figures. */
  private static final class Team implements AutoCloseable {
    final Competitor competitor;
    private final Map<Load, Tally> tallies = new HashMap<>();
    private final BrokerServer broker;
    private final List<Child> workers = new ArrayList<>();
    private final Child client;

    Team(Jvm jvm, Path log, BrokerServer broker, Competitor competitor) throws IOException {
      this.competitor = competitor;
      this.broker = broker;
      client = new Child(jvm.client(Competitor.class, competitor.name()), log);
      for (int i = 0; i < MOST_WORKERS; i++) {
        workers.add(new Child(jvm.smallServer(Competitor.class, competitor.name()), log));
      }
      serve(Load.SINGLE);
      for (Load load : Load.SLOW) {
        serve(load);
      }
    }

    private String service(Load load) {
      return competitor.name().toLowerCase(Locale.ROOT) + "-" + load.service;
    }

    private void serve(Load load) throws IOException {
      for (int i = 0; i < load.workers; i++) {
        workers.get(i).ask("serve " + broker.uri(service(load), i) + " " + load.bound);
      }
    }

    double rate(Load load, Duration slice) throws IOException {
      return Sample.of(client.ask(request(load, slice))).rate();
    }

    /** Adds a sample, with the CPU time of the client and of the first worker. */
    void sample(Load load, Duration slice) throws IOException {
      tally(load).sample(client, request(load, slice), client, workers.get(0));
    }

    private String request(Load load, Duration slice) {
      return "call " + broker.uri(service(load)) + " " + load.inFlight + " " + slice.toMillis();
    }

    Tally tally(Load load) {
      return tallies.computeIfAbsent(load, key -> new Tally());
    }

    @Override
    public void close() {
      client.close();
      workers.forEach(Child::close);
    }
  }

  private final Text text = new Text();
  private final List<Goal> goals = new ArrayList<>();

  private Brokers() {}

  /**
   * Measures all competitors of the wanted brokers that are installed.
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
        brokers.text.add("%n### %s%n%nNot measured: %s.%n", broker.label, missing);
      }
    }
    return new Section(brokers.text.toString(), brokers.goals, List.of(), List.of());
  }

  private void measure(Broker broker, Jvm jvm, Path log, int rounds, Duration slice)
      throws IOException {
    List<Team> teams = new ArrayList<>();
    try (BrokerServer server = broker.start()) {
      try {
        for (Competitor competitor : Competitor.of(broker)) {
          teams.add(new Team(jvm, log, server, competitor));
        }
        for (Load load : Load.all()) {
          List<Team> measured = load.bound == 0 ? teams : teams.subList(0, COMPARED);
          Turns<Team> turns = new Turns<>(broker.label + ", " + load.title(), measured);
          int most = load.bound == 0 ? WARM_UPS : SLOW_WARM_UPS;
          turns.warmUp(most, STEADY, team -> team.rate(load, slice));
          turns.rounds(rounds, team -> team.sample(load, slice));
        }
      } finally {
        teams.forEach(Team::close);
      }
    }
    quick(broker, teams);
    slow(teams);
    Load.all().forEach(load -> goals.add(goal(broker, load, teams)));
  }

  // ---------------------------------------------------------------- the report

  private void introduce() {
    text.add("""
        ## Brokers

        A client calls a worker through a broker on the same machine: a call of 64 bytes, an answer of 40. Beside Repartee,
        the client library of the broker does the same round trip with prepared texts. With RabbitMQ both use direct reply-to,
        manual acknowledgements, the same prefetch, mandatory messages that are confirmed and expire with their call; the third
        row is the library as in the tutorial of RabbitMQ, where a call that the broker does not take waits for ever. With
        NATS both call a queue group. With ZeroMQ a DEALER calls a ROUTER through a process with the proxy of ZeroMQ, on JeroMQ;
        any thread may call, since one thread owns the socket. In the third row the caller owns it, as in the guide of ZeroMQ.
        Latency is the median and the 99th percentile in microseconds, CPU the time of the client and of the worker for a call
        in microseconds. The broker runs on the same CPUs.

        Then 1, 2 or 4 workers, processes with at most %d running handlers of %d ms each, share the calls; %d calls are in flight
        for each of these handlers. All figures are medians of samples in turns.
        """, BOUND, Library.HANDLER_MILLIS, FOR_EACH);
  }

  private void quick(Broker broker, List<Team> teams) {
    text.add("%n### %s%n%n", broker.label);
    text.add("| | calls a second | latency | CPU | %d in flight | latency | CPU |%n", CONCURRENT);
    text.add("|---|---|---|---|---|---|---|%n");
    for (Team team : teams) {
      text.add("| %s |", team.competitor.label);
      for (Load load : List.of(Load.SINGLE, Load.MANY)) {
        Tally tally = team.tally(load);
        Sample median = tally.median();
        text.add(" %,.0f | %,.0f / %,.0f |", median.rate(), median.median(), median.tail());
        text.add(" %.0f + %.0f |", tally.cpu(0), tally.cpu(1));
      }
      text.add("%n");
    }
  }

  private void slow(List<Team> teams) {
    text.add("%n| handlers of %d ms |", Library.HANDLER_MILLIS);
    Load.SLOW.forEach(l -> text.add(" %d worker%s |", l.workers, l.workers == 1 ? "" : "s"));
    text.add("%n|---|%s%n", "---|".repeat(Load.SLOW.size()));
    for (Team team : teams.subList(0, COMPARED)) {
      text.add("| %s |", team.competitor.label);
      Load.SLOW.forEach(load -> text.add(" %,.0f |", team.tally(load).rate()));
      text.add("%n");
    }
    text.add("| all handlers busy |");
    Load.SLOW.forEach(load -> text.add(" %,.0f |", load.ideal()));
    text.add("%n");
  }

  private static Goal goal(Broker broker, Load load, List<Team> teams) {
    List<Double> rates = teams.stream().map(team -> team.tally(load).rate()).toList();
    return new Goal(
        "through " + broker.label + ": " + load.title() + ", beside "
            + teams.get(1).competitor.label,
        "calls a second",
        GOAL,
        rates.get(0) / rates.get(1),
        teams.size() > COMPARED && load.bound == 0
            ? GOAL.said(rates.get(0) / rates.get(COMPARED)) + " to "
                + teams.get(COMPARED).competitor.label
            : "",
        load.bound == 0 ? broker.tried : "");
  }
}

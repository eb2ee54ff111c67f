package dev.repartee.benchmarks.mcp;

import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.load.Tally;
import dev.repartee.benchmarks.load.Turns;
import dev.repartee.benchmarks.process.Child;
import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.process.Libraries;
import dev.repartee.benchmarks.process.MemoryUse;
import dev.repartee.benchmarks.report.Goal;
import dev.repartee.benchmarks.report.Section;
import dev.repartee.benchmarks.report.Statistics;
import dev.repartee.benchmarks.report.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Compares MCP clients, processes that call the same server of {@code protocols/mcp} over stdio and
 * over Streamable HTTP: the calls of a tool, the time from the start to the first result, and
 * memory. The clients take turns.
 */
public final class McpClients {
  private static final Goal.Bound RATE_GOAL = Goal.Bound.atLeast(3);
  private static final Goal.Bound START_UP_GOAL = Goal.Bound.atMost(1.0 / 3, "");
  private static final int CONCURRENT = 64;
  private static final int WARM_UPS = 40;
  private static final int STEADY = 8;

  /** The calls before memory is counted. */
  private static final int CALLS = 20_000;

  /** The number of idle clients in the measurement of the heap. */
  private static final int IDLE = 100;

  private static final double KIB = 1_024;

  /** A small heap: otherwise resident memory is the size of the heap. */
  private static final List<String> LITTLE_HEAP = List.of("-XX:+UseSerialGC", "-Xms8m", "-Xmx256m");

  private static final String SERVING = Libraries.MCP + "|" + Libraries.NETTY + "|" + Libraries.OWN;

  /** A client with the class path entries that it needs, and its figures. */
  private static final class Client {
    final String label;
    final String library;
    final boolean isHttp;
    final String classPath;
    final Tally single = new Tally();
    final Tally concurrent = new Tally();
    final List<Double> starts = new ArrayList<>();
    MemoryUse used = new MemoryUse(0, 0, 0);
    double idle;

    Client(String label, String library, boolean isHttp, String classPath) {
      this.label = label;
      this.library = library;
      this.isHttp = isHttp;
      this.classPath = classPath;
    }

    Tally tally(int inFlight) {
      return inFlight == 1 ? single : concurrent;
    }

    double start() {
      return Statistics.median(starts);
    }
  }

  private final Client oursOnStdio =
      new Client("repartee over stdio", "repartee", false, Libraries.MCP);
  private final Client sdkOnStdio =
      new Client("MCP Java SDK over stdio", "mcp-java", false, Libraries.MCP_SDK);
  private final Client raw = new Client("raw bytes over stdio", "raw", false, Libraries.OWN);
  private final Client oursOnHttp =
      new Client("repartee over HTTP", "repartee", true, Libraries.MCP + "|" + Libraries.NETTY);
  private final Client withoutNetty =
      new Client("repartee without Netty over HTTP", "repartee", true, Libraries.MCP);
  private final Client sdkOnHttp =
      new Client("MCP Java SDK over HTTP", "mcp-java", true, Libraries.MCP_SDK);
  private final List<Client> clients =
      List.of(oursOnStdio, sdkOnStdio, raw, oursOnHttp, withoutNetty, sdkOnHttp);

  private final Jvm jvm;
  private final Path log;
  private final String uri;

  private McpClients(Jvm jvm, Path log, String uri) {
    this.jvm = jvm;
    this.log = log;
    this.uri = uri;
  }

  /**
   * Measures all clients.
   *
   * @param rounds the number of starts of each client, and of samples of its calls
   * @param slice the time of a sample
   */
  public static Section run(Jvm jvm, Path log, int rounds, Duration slice) throws IOException {
    Jvm serving = jvm.only(SERVING);
    try (Child server = new Child(serving.server(McpServerMain.class, McpServerMain.HTTP), log)) {
      McpClients measurement = new McpClients(jvm, log, server.hear());
      measurement.calls(rounds, slice);
      measurement.starts(rounds);
      for (Client client : measurement.clients) {
        measurement.memory(client);
      }
      return measurement.section();
    }
  }

  // ---------------------------------------------------------------- the measurements

  /** A client and its process. */
  private record Running(Client client, Child child) {}

  private void calls(int rounds, Duration slice) throws IOException {
    List<Running> running = new ArrayList<>();
    try {
      for (Client client : clients) {
        Child child = new Child(calling(client), log);
        running.add(new Running(client, child));
        child.hear();
      }
      for (int inFlight : new int[] {1, CONCURRENT}) {
        String request = "rate " + inFlight + " " + slice.toMillis();
        Turns<Running> turns = new Turns<>("MCP clients, " + inFlight + " in flight", running);
        turns.warmUp(
            WARM_UPS, STEADY, each -> Sample.of(each.child.ask(request)).rate());
        turns.rounds(
            rounds, each -> each.client.tally(inFlight).sample(each.child, request, each.child));
      }
    } finally {
      running.forEach(each -> each.child.close());
    }
  }

  /** Returns the command of a client for calls, on another CPU than its server. */
  private List<String> calling(Client client) {
    List<String> words = new ArrayList<>(List.of(client.library));
    if (client.isHttp) {
      words.add(uri);
    } else {
      words.addAll(jvm.only(SERVING).server(McpServerMain.class, McpServerMain.STDIO));
    }
    return jvm.only(client.classPath + "|" + Libraries.DRIVER)
        .client(McpClientMain.class, words.toArray(String[]::new));
  }

  private void starts(int rounds) throws IOException {
    for (Client client : clients) {
      start(client); // warms up the disk cache
    }
    new Turns<>("MCP clients, start-up", clients)
        .rounds(rounds, client -> client.starts.add(start(client)));
  }

  /** Returns the milliseconds from the start of a client to its first result. */
  private double start(Client client) throws IOException {
    long began = System.nanoTime();
    try (Child child = new Child(starting(client, List.of()), log)) {
      child.hear();
      return (System.nanoTime() - began) / 1e6;
    }
  }

  /** Returns the command of a client that runs on any CPU. */
  private List<String> starting(Client client, List<String> options) {
    List<String> words = new ArrayList<>(List.of(client.library));
    if (client.isHttp) {
      words.add(uri);
    } else {
      words.addAll(jvm.only(Libraries.MCP + "|" + Libraries.OWN)
          .unpinned(List.of(), McpServerMain.class, McpServerMain.STDIO));
    }
    return jvm.only(client.classPath + "|" + Libraries.OWN)
        .unpinned(options, McpClientMain.class, words.toArray(String[]::new));
  }

  private void memory(Client client) throws IOException {
    System.err.printf("memory: %s%n", client.label);
    try (Child child = new Child(starting(client, LITTLE_HEAP), log)) {
      child.hear();
      client.used = MemoryUse.of(child.ask("call " + CALLS));
      if (client.isHttp) { // over stdio each client would need another server
        long heap = MemoryUse.of(child.ask("open " + IDLE)).heap();
        client.idle = (heap - client.used.heap()) / (double) IDLE;
      }
    }
  }

  // ---------------------------------------------------------------- the report

  private Section section() {
    Text text = new Text().add("""
        ## MCP clients

        A client calls a tool that subtracts two numbers. All clients call the same server, with `protocols/mcp`: a
        child process over stdio, or a process with Netty over Streamable HTTP. The clients have their defaults, so
        Repartee's speaks 2026-07-28 and the MCP Java SDK 2.1.0 a revision with a handshake. The times over stdio
        contain the start of the server. The memory is that of the client's process after %,d calls; an idle client is
        one of %d further clients in the same process. `raw bytes` writes prepared requests, each
        by itself, and searches the answers for the result: the limit for one call at a time and for the start.
        All figures are medians of processes in turns.

        | client | calls a second | %d in flight | its CPU for one of these, us | ms to the first result | heap, KiB \
        | resident, MiB | idle client, KiB |
        |---|---|---|---|---|---|---|---|
        """, CALLS, IDLE, CONCURRENT);
    for (Client client : clients) {
      text.add(
          "| %s | %,.0f | %,.0f | %.0f | %.0f | %,.0f | %.0f | %s |%n",
          client.label,
          client.single.rate(),
          client.concurrent.rate(),
          client.concurrent.cpu(0),
          client.start(),
          client.used.heap() / KIB,
          client.used.resident() / KIB / KIB,
          client.isHttp ? Text.of("%.1f", client.idle / KIB) : "");
    }
    return new Section(text.toString(), goals(), List.of(), List.of());
  }

  private List<Goal> goals() {
    return List.of(
        rate(
            false,
            1,
            "Most of the time is spent waking threads up: the writer and the reader of the client, "
                + "its waiting thread, and three threads of the server. Raw bytes need none of the "
                + "first."),
        rate(
            false,
            CONCURRENT,
            Text.of(
                "The server is the limit: it needs 4.4 us of its CPU for a call. The client needs "
                    + "%.2f of the CPU time of the SDK.",
                oursOnStdio.concurrent.cpu(0) / sdkOnStdio.concurrent.cpu(0))),
        rate(true, 1, ""),
        rate(
            true,
            CONCURRENT,
            "The server takes more CPU for a call than the client: 108 us beside 77 us, without "
                + "the second compiler of the JVM. Headers are checked without patterns, and an "
                + "idle connection has one timer."),
        start(
            false,
            "The time contains the start of the server, as that of raw bytes does. The classes "
                + "for the first answer are loaded meanwhile, and fewer classes are generated."),
        start(
            true,
            "The Flight Recorder of the JDK is not loaded any more, which took a quarter of the "
                + "time; most of the rest is the start of Netty. Without Netty no TLS provider is "
                + "loaded for http:."));
  }

  private Goal rate(boolean http, int inFlight, String tried) {
    return goal(
        http,
        inFlight == 1 ? "one call at a time" : inFlight + " calls at a time",
        "calls a second",
        RATE_GOAL,
        client -> client.tally(inFlight).rate(),
        tried);
  }

  private Goal start(boolean http, String tried) {
    String figure = "milliseconds to the first result";
    return goal(http, "start", figure, START_UP_GOAL, Client::start, tried);
  }

  private Goal goal(
      boolean http,
      String text,
      String figure,
      Goal.Bound bound,
      ToDoubleFunction<Client> value,
      String tried) {
    double sdk = value.applyAsDouble(http ? sdkOnHttp : sdkOnStdio);
    double beside = value.applyAsDouble(http ? withoutNetty : raw) / sdk;
    return new Goal(
        "an MCP client over " + (http ? "HTTP" : "stdio") + ": " + text
            + ", beside the MCP Java SDK",
        figure,
        bound,
        value.applyAsDouble(http ? oursOnHttp : oursOnStdio) / sdk,
        bound.said(beside) + (http ? " without Netty" : " raw bytes"),
        tried);
  }
}

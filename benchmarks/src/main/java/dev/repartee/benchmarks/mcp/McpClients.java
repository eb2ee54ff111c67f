package dev.repartee.benchmarks.mcp;

import dev.repartee.benchmarks.process.Child;
import dev.repartee.benchmarks.process.CpuUse;
import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.process.Libraries;
import dev.repartee.benchmarks.process.MemoryUse;
import dev.repartee.benchmarks.report.Goal;
import dev.repartee.benchmarks.report.Section;
import dev.repartee.benchmarks.report.Statistics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/**
 * Compares MCP clients, processes that call the same server of {@code protocols/mcp} over stdio and
 * over Streamable HTTP: the calls of a tool, the time from the start to the first result, and
 * memory. The clients take turns.
 */
public final class McpClients {
  private static final int CALLS_GOAL = 3;
  private static final double START_UP_GOAL = 1.0 / 3;
  private static final int CONCURRENT = 64;

  /** The maximum number of rounds of the warm-up. */
  private static final int WARM_UPS = 40;

  /** The number of rounds in a row without an improvement that ends the warm-up. */
  private static final int STEADY = 8;

  /** The factor by which a sample must beat the best earlier one to count as an improvement. */
  private static final double FASTER = 1.04;

  /** The calls before memory is counted. */
  private static final int CALLS = 20_000;

  /** The idle clients of which the heap is counted. */
  private static final int IDLE = 100;

  private static final double KIB = 1_024;

  /** Small, so that resident memory is not the size of the heap. */
  private static final List<String> LITTLE_HEAP = List.of("-XX:+UseSerialGC", "-Xms8m", "-Xmx256m");

  /** The clients, with the class path entries that they need. */
  enum Client {
    REPARTEE_STDIO("repartee over stdio", "repartee", false, Libraries.MCP),
    SDK_STDIO("MCP Java SDK over stdio", "mcp-java", false, Libraries.MCP_SDK),
    RAW_STDIO("raw bytes over stdio", "raw", false, Libraries.OWN),
    REPARTEE_HTTP("repartee over HTTP", "repartee", true, Libraries.MCP + "|" + Libraries.NETTY),
    PLAIN_HTTP("repartee without Netty over HTTP", "repartee", true, Libraries.MCP),
    SDK_HTTP("MCP Java SDK over HTTP", "mcp-java", true, Libraries.MCP_SDK);

    final String label;
    final String library;
    final boolean isHttp;
    final String classPath;

    Client(String label, String library, boolean isHttp, String classPath) {
      this.label = label;
      this.library = library;
      this.isHttp = isHttp;
      this.classPath = classPath;
    }

    Client sdk() {
      return isHttp ? SDK_HTTP : SDK_STDIO;
    }
  }

  /** The figures of one client. */
  private static final class Row {
    final List<Double> single = new ArrayList<>();
    final List<Double> concurrent = new ArrayList<>();
    final List<Double> cpu = new ArrayList<>();
    final List<Double> start = new ArrayList<>();
    MemoryUse used = new MemoryUse(0, 0, 0);
    double idle;

    List<Double> rates(int inFlight) {
      return inFlight == 1 ? single : concurrent;
    }
  }

  private final Jvm jvm;
  private final Path log;
  private final String uri;
  private final Map<Client, Row> rows = new EnumMap<>(Client.class);

  private McpClients(Jvm jvm, Path log, Child server) throws IOException {
    this.jvm = jvm;
    this.log = log;
    this.uri = server.hear();
    for (Client client : Client.values()) {
      rows.put(client, new Row());
    }
  }

  /**
   * Measures all clients.
   *
   * @param rounds the number of starts of each client, and of samples of its calls
   * @param slice the time of a sample
   */
  public static Section run(Jvm jvm, Path log, int rounds, Duration slice) throws IOException {
    Jvm serving = jvm.only(serving());
    try (Child server = new Child(serving.server(McpServerMain.class, McpServerMain.HTTP), log)) {
      McpClients clients = new McpClients(jvm, log, server);
      clients.calls(rounds, slice);
      clients.starts(rounds);
      clients.memory();
      return clients.section();
    }
  }

  private static String serving() {
    return Libraries.MCP + "|" + Libraries.NETTY + "|" + Libraries.OWN;
  }

  // ---------------------------------------------------------------- the measurements

  private void calls(int rounds, Duration slice) throws IOException {
    List<Child> children = new ArrayList<>();
    try {
      Map<Client, Child> clients = new EnumMap<>(Client.class);
      for (Client client : Client.values()) {
        Child child = new Child(calling(client), log);
        children.add(child);
        clients.put(client, awaited(client, child));
      }
      for (int inFlight : new int[] {1, CONCURRENT}) {
        warmUp(inFlight, slice, clients);
        for (int round = 1; round <= rounds; round++) {
          System.err.printf("MCP clients, %d in flight: round %d of %d%n", inFlight, round, rounds);
          for (Client client : order(round)) {
            sample(row(client), inFlight, slice, Objects.requireNonNull(clients.get(client)));
          }
        }
      }
    } finally {
      children.forEach(Child::close);
    }
  }

  /**
   * Calls, in turns, until the rate of no client improves: a compiler that shares a CPU with a
   * client or with the server needs time.
   */
  private static void warmUp(int inFlight, Duration slice, Map<Client, Child> clients)
      throws IOException {
    Map<Client, Double> best = new EnumMap<>(Client.class);
    int steady = 0;
    for (int round = 0; round < WARM_UPS && steady < STEADY; round++) {
      System.err.printf("MCP clients, %d in flight: warming up, round %d%n", inFlight, round);
      steady++;
      for (Map.Entry<Client, Child> client : clients.entrySet()) {
        double rate = rate(inFlight, slice, client.getValue());
        if (rate > best.getOrDefault(client.getKey(), 0.0) * FASTER) {
          best.put(client.getKey(), rate);
          steady = 0;
        }
      }
    }
  }

  private static double rate(int inFlight, Duration slice, Child child) throws IOException {
    child.say("rate " + inFlight + " " + slice.toMillis());
    return Double.parseDouble(child.hear());
  }

  private static void sample(Row row, int inFlight, Duration slice, Child child)
      throws IOException {
    double seconds = CpuUse.secondsOf(child.pid());
    long began = System.nanoTime();
    double rate = rate(inFlight, slice, child);
    double calls = rate * (System.nanoTime() - began) / 1e9;
    row.rates(inFlight).add(rate);
    if (inFlight > 1 && calls > 0) {
      row.cpu.add((CpuUse.secondsOf(child.pid()) - seconds) * 1e6 / calls);
    }
  }

  /** Returns the clients, in reverse order in every second round. */
  private static List<Client> order(int round) {
    List<Client> clients = new ArrayList<>(List.of(Client.values()));
    if (round % 2 != 0) {
      Collections.reverse(clients);
    }
    return clients;
  }

  /** Returns the command of a client for calls, on another CPU than its server. */
  private List<String> calling(Client client) {
    Jvm own = jvm.only(client.classPath + "|" + Libraries.DRIVER);
    List<String> words = new ArrayList<>(List.of(client.library));
    if (client.isHttp) {
      words.add(uri);
    } else {
      words.addAll(jvm.only(serving()).server(McpServerMain.class, McpServerMain.STDIO));
    }
    return own.client(McpClientMain.class, words.toArray(String[]::new));
  }

  private void starts(int rounds) throws IOException {
    for (int round = 0; round <= rounds; round++) {
      System.err.printf("MCP clients, start-up: round %d of %d%n", round, rounds);
      for (Client client : order(round)) {
        long began = System.nanoTime();
        try (Child child = new Child(starting(client, List.of()), log)) {
          awaited(client, child);
          if (round > 0) { // the first round warms up the disk cache
            row(client).start.add((System.nanoTime() - began) / 1e6);
          }
        }
      }
    }
  }

  /** Returns the command of a client that runs on any CPU. */
  private List<String> starting(Client client, List<String> options) {
    List<String> words = new ArrayList<>(List.of(jvm.java()));
    words.addAll(options);
    String own = jvm.only(client.classPath + "|" + Libraries.OWN).classPath();
    words.addAll(List.of("-cp", own, McpClientMain.class.getName(), client.library));
    if (client.isHttp) {
      words.add(uri);
    } else {
      String path = jvm.only(Libraries.MCP + "|" + Libraries.OWN).classPath();
      words.addAll(
          List.of(jvm.java(), "-cp", path, McpServerMain.class.getName(), McpServerMain.STDIO));
    }
    return words;
  }

  private Child awaited(Client client, Child child) throws IOException {
    String text = child.hear();
    if (!ToolClient.isAnswer(text)) {
      throw new IOException(client.label + " says '" + text + "', see " + log);
    }
    return child;
  }

  private void memory() throws IOException {
    for (Client client : Client.values()) {
      System.err.printf("memory: %s%n", client.label);
      try (Child child = new Child(starting(client, LITTLE_HEAP), log)) {
        awaited(client, child).say("call " + CALLS);
        MemoryUse used = MemoryUse.of(child.hear());
        row(client).used = used;
        if (client.isHttp) { // over stdio each client would need a server of its own
          child.say("open " + IDLE);
          row(client).idle = (MemoryUse.of(child.hear()).heap() - used.heap()) / (double) IDLE;
        }
      }
    }
  }

  // ---------------------------------------------------------------- the report

  private Row row(Client client) {
    return Objects.requireNonNull(rows.get(client));
  }

  private static double median(List<Double> samples) {
    return Statistics.median(samples.stream().mapToDouble(Double::doubleValue));
  }

  private Section section() {
    StringBuilder text = new StringBuilder(String.format(
        Locale.ROOT,
        "## MCP clients%n%nA client calls a tool that subtracts two numbers. All clients call the "
            + "same server, with `protocols/mcp`: a%nchild process over stdio, or a process with "
            + "Netty over Streamable HTTP. The clients have their defaults, so%nRepartee's speaks "
            + "2026-07-28 and the MCP Java SDK 2.1.0 a revision with a handshake. The times over "
            + "stdio%ncontain the start of the server. The memory is that of the client's process "
            + "after %,d calls; an idle client is%none of %d further clients in the same process. "
            + "`raw bytes` writes prepared requests, each%nby itself, and searches the answers for "
            + "the result: the limit for one call at a time and for the start.%nAll figures are "
            + "medians of processes in turns.%n%n"
            + "| client | calls a second | %d in flight | its CPU for one of these, us | "
            + "ms to the first result | heap, KiB | resident, MiB | idle client, KiB |%n"
            + "|---|---|---|---|---|---|---|---|%n",
        CALLS,
        IDLE,
        CONCURRENT));
    rows.forEach((client, row) -> text.append(String.format(
        Locale.ROOT,
        "| %s | %,.0f | %,.0f | %.0f | %.0f | %,.0f | %.0f | %s |%n",
        client.label,
        median(row.single),
        median(row.concurrent),
        median(row.cpu),
        median(row.start),
        row.used.heap() / KIB,
        row.used.resident() / KIB / KIB,
        client.isHttp ? String.format(Locale.ROOT, "%.1f", row.idle / KIB) : "")));
    List<Goal> goals = new ArrayList<>();
    for (boolean http : new boolean[] {false, true}) {
      goals.add(rate(http, 1));
      goals.add(rate(http, CONCURRENT));
    }
    for (boolean http : new boolean[] {false, true}) {
      goals.add(start(http));
    }
    return new Section(text.toString(), goals, List.of(), List.of());
  }

  private Goal rate(boolean http, int inFlight) {
    return goal(
        http,
        inFlight == 1 ? "one call at a time" : inFlight + " calls at a time",
        "calls a second",
        Goal.Bound.atLeast(CALLS_GOAL),
        client -> median(row(client).rates(inFlight)),
        tried(http, inFlight));
  }

  private String tried(boolean http, int inFlight) {
    if (http) {
      return inFlight == 1
          ? ""
          : "The server takes more CPU for a call than the client: 108 us beside 77 us, without "
              + "the second compiler of the JVM. Headers are checked without patterns, and an "
              + "idle connection has one timer.";
    } else if (inFlight == 1) {
      return "Most of the time is spent waking threads up: the writer and the reader of the client, "
          + "its waiting thread, and three threads of the server. Raw bytes need none of the first.";
    }
    return String.format(
        Locale.ROOT,
        "The server is the limit: it needs 4.4 us of its CPU for a call. The client needs %.2f of "
            + "the CPU time of the SDK.",
        median(row(Client.REPARTEE_STDIO).cpu) / median(row(Client.SDK_STDIO).cpu));
  }

  private Goal start(boolean http) {
    return goal(
        http,
        "start",
        "milliseconds to the first result",
        Goal.Bound.atMost(START_UP_GOAL, ""),
        client -> median(row(client).start),
        http
            ? "The Flight Recorder of the JDK is not loaded any more, which took a quarter of the "
                + "time; most of the rest is the start of Netty. Without Netty no TLS provider is "
                + "loaded for http:."
            : "The time contains the start of the server, as that of raw bytes does. The classes "
                + "for the first answer are loaded meanwhile, and fewer classes are generated.");
  }

  private static Goal goal(
      boolean http,
      String text,
      String figure,
      Goal.Bound bound,
      ToDoubleFunction<Client> figures,
      String tried) {
    Client client = http ? Client.REPARTEE_HTTP : Client.REPARTEE_STDIO;
    double sdk = figures.applyAsDouble(client.sdk());
    return new Goal(
        "an MCP client over " + (http ? "HTTP" : "stdio") + ": " + text + ", to the Java SDK",
        figure,
        bound,
        figures.applyAsDouble(client) / sdk,
        bound.said(figures.applyAsDouble(http ? Client.PLAIN_HTTP : Client.RAW_STDIO) / sdk)
            + (http ? " without Netty" : " raw bytes"),
        tried);
  }
}

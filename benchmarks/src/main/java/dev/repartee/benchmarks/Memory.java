package dev.repartee.benchmarks;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.LoadGenerator;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.peers.Contestants;
import dev.repartee.benchmarks.process.Child;
import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.process.MemoryUse;
import dev.repartee.benchmarks.process.OpenFiles;
import dev.repartee.benchmarks.report.Chart;
import dev.repartee.benchmarks.report.Goal;
import dev.repartee.benchmarks.report.Section;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures the memory of idle connections and the allocation of calls. Both are counts, so the
 * measurement does not need an idle machine.
 */
final class Memory {
  private static final int CONNECTIONS = 10_000;
  private static final int CALLS = 20_000;
  private static final Duration WARM_UP = Duration.ofSeconds(2);
  private static final double KIB = 1_024;

  /** The measured contestants: all that the load generator can call. */
  private static final List<String> SERVERS = List.of(
      "raw-loop",
      "raw-netty",
      "repartee",
      "repartee-lane",
      "repartee-unix",
      "raw-ws",
      "repartee-ws",
      "raw-http",
      "repartee-http");

  private static final String LANE =
      "Buffers and queues are released while no call is in flight, and two callbacks "
          + "were merged. The remaining difference to an inline connection is the queue of "
          + "its calls and the object of its worker.";

  private final Jvm jvm;
  private final Path logs;
  private final StringBuilder table = new StringBuilder();
  private final List<Goal> goals = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private final List<Chart.Bar> idle = new ArrayList<>();
  private final List<Chart.Bar> allocated = new ArrayList<>();

  private Memory(Jvm jvm, Path logs) {
    this.jvm = jvm;
    this.logs = logs;
  }

  /** Runs all measurements, in less than a minute. */
  static Section run(Jvm jvm, Path logs) {
    return new Memory(jvm, logs).section();
  }

  private Section section() {
    for (String name : SERVERS) {
      System.err.printf("memory: %s%n", name);
      try {
        measure(name);
      } catch (IOException e) {
        failures.add("memory of " + name + ": " + e.getMessage());
      }
    }
    try {
      clientSide();
    } catch (IOException e) {
      failures.add("memory of the client side: " + e.getMessage());
    }
    String text = String.format(
        Locale.ROOT,
        "## Memory%n%nThe heap of an idle connection, measured with %,d idle connections that have"
            + " made one call each; the%nmemory of the process with these connections, without the"
            + " kernel's buffers; and the bytes that the server%nallocates for a call, one call at"
            + " a time, after a warm-up.%n%n| | heap a connection, bytes | resident, MiB |"
            + " allocated a call, bytes |%n|---|---|---|---|%n%s",
        OpenFiles.most(CONNECTIONS),
        table);
    return new Section(
        text,
        goals,
        List.of(
            chart("memory-idle", "heap of an idle connection, bytes", idle),
            chart("memory-call", "allocated for a call, bytes", allocated)),
        failures);
  }

  private static Chart chart(String name, String title, List<Chart.Bar> bars) {
    return new Chart(name, title, 0, List.of(new Chart.Group("", bars)));
  }

  private void measure(String name) throws IOException {
    Contestant contestant = Contestants.named(name);
    List<SocketChannel> sockets = new ArrayList<>();
    Path log = logs.resolve("memory-" + name + ".log");
    try (Child child =
        new Child(jvm.server(ServerMain.class, name, Workload.SUBTRACT.label()), log)) {
      Address server = Address.of(child.hear());
      LoadGenerator client = (LoadGenerator) contestant.client();
      client.run(server, Workload.SUBTRACT, new Shape(32, 1), WARM_UP);
      MemoryUse empty = ask(child);
      int connections = OpenFiles.most(CONNECTIONS);
      client.open(server, Workload.SUBTRACT, connections, sockets::add);
      MemoryUse full = ask(child);
      row(
          name,
          (full.heap() - empty.heap()) / (double) connections,
          full.resident(),
          perCall(child, client, sockets.get(0)));
    } finally {
      for (SocketChannel socket : sockets) {
        socket.close();
      }
    }
  }

  private static double perCall(Child child, LoadGenerator client, SocketChannel socket)
      throws IOException {
    call(client, socket); // warm-up
    long first = ask(child).allocated();
    long before = ask(child).allocated();
    call(client, socket);
    long after = ask(child).allocated();
    long askingItself = before - first;
    return Math.max(0, after - before - askingItself) / (double) CALLS;
  }

  private static void call(LoadGenerator client, SocketChannel socket) throws IOException {
    for (int i = 0; i < CALLS; i++) {
      client.call(socket, Workload.SUBTRACT);
    }
  }

  private static MemoryUse ask(Child child) throws IOException {
    child.say("memory");
    return MemoryUse.of(child.hear());
  }

  private void row(String name, double heap, long resident, double perCall) {
    Chart.Of owner = Chart.Bar.owner(name);
    idle.add(new Chart.Bar(name, heap, rounded(heap), owner));
    allocated.add(new Chart.Bar(name, perCall, rounded(perCall), owner));
    table.append(String.format(
        Locale.ROOT,
        "| %s | %s | %s | %s |%n",
        name,
        rounded(heap),
        resident == 0 ? "" : rounded(resident / KIB / KIB),
        rounded(perCall)));
    switch (name) {
      case "repartee" -> goal("an idle TCP connection", heap, 2 * KIB, "");
      case "repartee-lane" -> goal("the same, with a handler that may block", heap, 2 * KIB, LANE);
      case "repartee-ws" -> goal("an idle WebSocket", heap, 8 * KIB, "");
      default -> {}
    }
  }

  private void goal(String text, double heap, double most, String tried) {
    goals.add(new Goal(text, "heap", Goal.Bound.atMost(most, "bytes"), heap, "", tried));
  }

  private void clientSide() throws IOException {
    Path log = logs.resolve("memory-client.log");
    String contestant = "repartee-pair";
    try (Child child =
            new Child(jvm.server(ServerMain.class, contestant, Workload.SUBTRACT.label()), log);
        Child client = new Child(jvm.client(CallerMain.class, child.hear()), log)) {
      double perCall = Double.parseDouble(client.hear());
      table.append(String.format(
          Locale.ROOT, "| the client side of `callAsync` | | | %s |%n", rounded(perCall)));
      allocated.add(new Chart.Bar("callAsync, client", perCall, rounded(perCall), Chart.Of.US));
    }
  }

  private static String rounded(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }
}

package dev.repartee.benchmarks;

import dev.repartee.Peer;
import dev.repartee.Repartee;
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
import dev.repartee.benchmarks.report.Text;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures the memory of idle connections and the allocation of calls. Both are counts; the
 * measurement therefore does not need an idle machine.
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
  private final Text table = new Text();
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
    String text = Text.of("""
        ## Memory

        The heap of an idle connection, measured with %,d idle connections that have made one call each; the
        memory of the process with these connections, without the kernel's buffers; and the bytes that the server
        allocates for a call, one call at a time, after a warm-up.

        | | heap a connection, bytes | resident, MiB | allocated a call, bytes |
        |---|---|---|---|
        %s""", OpenFiles.most(CONNECTIONS), table);
    return new Section(
        text,
        goals,
        List.of(
            Chart.of("memory-idle", "heap of an idle connection, bytes", idle),
            Chart.of("memory-call", "allocated for a call, bytes", allocated)),
        failures);
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
    return MemoryUse.of(child.ask("memory"));
  }

  private void row(String name, double heap, long resident, double perCall) {
    Chart.Of owner = Chart.Bar.owner(name);
    idle.add(new Chart.Bar(name, heap, rounded(heap), owner));
    allocated.add(new Chart.Bar(name, perCall, rounded(perCall), owner));
    table.add(
        "| %s | %s | %s | %s |%n",
        name, rounded(heap), resident == 0 ? "" : rounded(resident / KIB / KIB), rounded(perCall));
    switch (name) {
      case "repartee" -> goal("an idle TCP connection", heap, 2 * KIB, "");
      case "repartee-lane" ->
        goal("an idle TCP connection with a handler that may block", heap, 2 * KIB, LANE);
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
        Child client = new Child(jvm.client(Memory.class, child.hear()), log)) {
      double perCall = Double.parseDouble(client.hear());
      table.add("| the client side of `callAsync` | | | %s |%n", rounded(perCall));
      allocated.add(new Chart.Bar("callAsync, client", perCall, rounded(perCall), Chart.Of.US));
    }
  }

  private static String rounded(double value) {
    return Text.of("%,.0f", value);
  }

  /** The process that calls an address, one call at a time, and prints the bytes of a call. */
  public static void main(String[] args) throws Exception {
    try (Peer peer = Repartee.connect("tcp://127.0.0.1:" + Address.of(args[0]).port())) {
      call(peer);
      long allocated = MemoryUse.allocatedByAll();
      call(peer);
      System.out.println((MemoryUse.allocatedByAll() - allocated) / (double) CALLS);
    }
    System.exit(0);
  }

  private static void call(Peer peer) {
    for (int i = 0; i < CALLS; i++) {
      if (peer.callAsync("subtract", int.class, 42, 23).join() != 19) {
        throw new IllegalStateException("the server gave a wrong answer");
      }
    }
  }
}

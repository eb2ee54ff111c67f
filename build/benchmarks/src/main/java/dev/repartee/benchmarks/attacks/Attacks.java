package dev.repartee.benchmarks.attacks;

import dev.repartee.benchmarks.load.LatencySummary;
import dev.repartee.benchmarks.process.Child;
import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.process.MemoryUse;
import dev.repartee.benchmarks.report.Section;
import dev.repartee.benchmarks.report.Text;
import dev.repartee.testkit.attack.Attack;
import dev.repartee.testkit.attack.TargetServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * Measures the effect of each attack on another, well-behaved client and on the memory of the
 * server. Each attack runs against a new server. The attackers share a CPU with that client, at a
 * lower priority: it waits for the server and not for the attackers.
 */
public final class Attacks {
  private static final Duration RUN_UP = Duration.ofSeconds(1);
  private static final double KIB_A_MIB = 1_024;
  private static final double MICROS_A_MILLI = 1_000;

  /** A transport: the URI of the server, and the scheme that the attackers use. */
  private record Way(String name, String listen, String scheme) {}

  private static final List<Way> WAYS = List.of(
      new Way("TCP", "tcp://127.0.0.1:0", "tcp"),
      new Way("HTTP", "http://127.0.0.1:0/", "http"),
      new Way("WebSocket", "http://127.0.0.1:0/", "ws"));

  private final Jvm jvm;
  private final Path logs;
  private final Duration time;
  private final List<String> failures = new ArrayList<>();

  private Attacks(Jvm jvm, Path logs, Duration time) {
    this.jvm = jvm;
    this.logs = logs;
    this.time = time;
  }

  /**
   * Runs the attacks, each for {@code time}.
   *
   * @param wanted selects attacks by their name, such as {@code tcp/slow-headers}
   */
  public static Section run(Jvm jvm, Path logs, Duration time, Predicate<String> wanted)
      throws IOException {
    return new Attacks(jvm, logs, time).section(wanted);
  }

  private Section section(Predicate<String> wanted) throws IOException {
    StringBuilder text = new StringBuilder(about());
    try (Child attacker =
            new Child(jvm.niceClient(AttackMain.class), logs.resolve("attacker.log"));
        Child other =
            new Child(jvm.client(WellBehavedMain.class), logs.resolve("well-behaved.log"))) {
      for (Way way : WAYS) {
        List<Attack> attacks = Arrays.stream(Attack.values())
            .filter(attack -> attack.isMeantFor(way.scheme() + ":"))
            .filter(attack -> wanted.test(way.scheme() + "/" + attack))
            .toList();
        if (!attacks.isEmpty()) {
          text.append(Text.of(
              "%n## %s%n%n| attack | answers | p50, ms | p99, ms | longest, ms | resident, MiB "
                  + "| heap, MiB |%n|---|---|---|---|---|---|---|%n",
              way.name()));
          text.append(row(way, "none", "", attacker, other));
          for (Attack attack : attacks) {
            text.append(row(way, attack.title(), attack.name(), attacker, other));
          }
        }
      }
    }
    return new Section(text.toString(), List.of(), List.of(), failures);
  }

  private String about() {
    return Text.of(
        """
        A server with 256 MB of heap on one CPU is attacked for %s s. Meanwhile another client calls `subtract`
        every 10 ms. The times are those of this client; all its calls were answered,
        unless failures are listed. *Resident* is the maximum memory of the process, *heap* the maximum in use
        after a collection, *answers* the answers that the attackers received, if they read any. The server
        accepts %,d connections; all other limits are the defaults. The load average of the machine was %.1f
        at the start: compare the times of a row with the first row of its table, without attack.
        """,
        time.toMillis() / 1_000.0,
        TargetServer.CONNECTIONS,
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  private String row(Way way, String title, String attack, Child attacker, Child other)
      throws IOException {
    System.err.printf("attacks: %s, %s%n", way.name(), title);
    try (Child server =
        new Child(jvm.smallServer(TargetMain.class, way.listen()), logs.resolve("target.log"))) {
      String uri = server.hear().replaceFirst("^[^:]+", way.scheme());
      other.ask(uri);
      if (!attack.isEmpty()) {
        attacker.ask(attack + " " + uri);
      }
      pause(RUN_UP);
      other.ask("begin");
      pause(time);
      LatencySummary experience = LatencySummary.of(other.ask("end"));
      String told = attack.isEmpty() ? "" : attacker.ask("end");
      if (experience.failed() > 0) {
        failures.add(Text.of(
            "%s, %s: %d of %d calls of the other client failed",
            way.name(), title, experience.failed(), experience.calls()));
      }
      double resident = MemoryUse.mostResident(server.pid()) / KIB_A_MIB / KIB_A_MIB;
      double heap = heap(server, way, title);
      return Text.of(
          "| %s | %s | %.2f | %.2f | %.1f | %.0f | %.0f |%n",
          title,
          told,
          experience.median() / MICROS_A_MILLI,
          experience.tail() / MICROS_A_MILLI,
          experience.most() / MICROS_A_MILLI,
          resident,
          heap);
    }
  }

  private double heap(Child server, Way way, String title) {
    try {
      return Long.parseLong(server.ask("heap")) / KIB_A_MIB / KIB_A_MIB;
    } catch (IOException e) {
      failures.add(way.name() + ", " + title + ": the server has ended");
      return Double.NaN;
    }
  }

  private static void pause(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

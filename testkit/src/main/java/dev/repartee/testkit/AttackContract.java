package dev.repartee.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import java.io.BufferedReader;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * What a {@link Victim} in a process with 256 MB of memory does with each {@link Attack}: it serves a
 * neighbour all the time, tells the attackers what is documented, and keeps nothing of it. Out of
 * memory it would end at once. A transport of servers has to pass this.
 */
public abstract class AttackContract {
  private static final int KEPT = 48 << 20;
  private static final int CALLS = 20;
  private static final int PATIENCE_SECONDS = 60;

  private final String listen;
  private final String scheme;

  /**
   * Attacks what listens there.
   *
   * @param listen the URI to listen on, with a port of 0
   * @param scheme the scheme to attack by
   */
  protected AttackContract(String listen, String scheme) {
    this.listen = listen;
    this.scheme = scheme;
  }

  /** A test for each attack. */
  @TestFactory
  final Stream<DynamicTest> aNeighbourIsServedAndNothingIsKept() {
    return Arrays.stream(Attack.values())
        .filter(attack -> attack.isMeantFor(scheme + ":"))
        .map(attack -> DynamicTest.dynamicTest(attack.toString(), () -> survives(attack)));
  }

  private void survives(Attack attack) throws Exception {
    Process victim = new ProcessBuilder(
            System.getProperty("java.home") + "/bin/java",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx256m",
            "-XX:+ExitOnOutOfMemoryError",
            "-cp",
            System.getProperty("java.class.path"),
            Victim.class.getName(),
            listen)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
    try (BufferedReader said = victim.errorReader(UTF_8)) {
      String line = said.readLine();
      while (line != null && !line.startsWith("listening on ")) {
        line = said.readLine(); // the JVM may have something to say first
      }
      assertThat(line).as("what the victim says").isNotNull();
      survives(attack, line.substring("listening on ".length()).replaceFirst("^[^:]+", scheme));
      assertThat(victim.isAlive()).isTrue();
    } finally {
      victim.destroyForcibly();
    }
  }

  private static void survives(Attack attack, String uri) throws Exception {
    try (Peer observer = Repartee.connect(uri);
        Neighbour neighbour = Neighbour.at(uri)) {
      neighbour.awaitServed(1);
      try (Assault assault = attack.on(uri)) {
        neighbour.awaitServed(CALLS);
        if (!attack.told().isEmpty()) {
          assault.awaitHeard(attack.attackers);
          assertThat(attack.told()).containsAll(assault.heard().keySet());
        }
        neighbour.awaitServed(1);
      }
      neighbour.awaitServed(1);
      nothingIsKept(observer);
    }
  }

  /** At the latest when the server has seen that the attackers are gone. */
  private static void nothingIsKept(Peer observer) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    long[] kept = observer.call("kept", long[].class);
    while ((kept[0] > 0 || kept[1] > KEPT) && System.nanoTime() < end) {
      kept = observer.call("kept", long[].class);
    }
    assertThat(kept[0]).as("held bytes").isZero();
    assertThat(kept[1]).as("heap in use").isLessThan(KEPT);
  }
}

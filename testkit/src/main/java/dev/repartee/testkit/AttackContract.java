package dev.repartee.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The contract of a server transport under each {@link Attack}. A {@link Victim} in a process with
 * 256 MB of memory must serve another client all the time, send the attackers only the documented
 * errors, and release all memory afterwards. The process would exit at once if it ran out of
 * memory.
 */
public abstract class AttackContract {
  private static final int KEPT = 48 << 20;
  private static final int CALLS = 5;
  private static final int PATIENCE_SECONDS = 60;

  private final String listen;
  private final String scheme;

  /**
   * Creates the tests of a transport.
   *
   * @param listen the URI for the victim to listen on, with port 0
   * @param scheme the scheme of the URI for attackers
   */
  protected AttackContract(String listen, String scheme) {
    this.listen = listen;
    this.scheme = scheme;
  }

  /** Returns a test for each attack. All tests use the same victim, unless an attack ends it. */
  @TestFactory
  final Stream<DynamicTest> aNeighbourIsServedAndNothingIsKept() {
    VictimProcess victim = new VictimProcess(listen);
    return Arrays.stream(Attack.values())
        .filter(attack -> attack.isMeantFor(scheme + ":"))
        .map(attack -> DynamicTest.dynamicTest(attack.toString(), () -> {
          survives(attack, victim.uri().replaceFirst("^[^:]+", scheme));
          assertThat(victim.isAlive()).isTrue();
        }))
        .onClose(victim::close);
  }

  private static void survives(Attack attack, String uri) throws Exception {
    try (Peer observer = Repartee.connect(uri);
        Neighbour neighbour = Neighbour.at(uri)) {
      observer.call("kept", long[].class); // otherwise the server would close the silent connection
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

  /** Waits until the server has noticed that the attackers' connections have ended. */
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

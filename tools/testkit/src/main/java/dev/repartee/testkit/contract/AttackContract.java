package dev.repartee.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.testkit.attack.Attack;
import dev.repartee.testkit.attack.AttackRun;
import dev.repartee.testkit.attack.TargetServer;
import dev.repartee.testkit.attack.WellBehavedClient;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The contract of a server transport under each {@link Attack}. A {@link TargetServer} in a process
 * with 256 MB of memory must serve another client all the time, send the attackers only the
 * documented errors, and release all memory afterwards. The process would exit immediately if it
 * ran out of memory.
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
   * @param listen the URI for the target to listen on, with port 0
   * @param scheme the scheme of the URI for attackers
   */
  protected AttackContract(String listen, String scheme) {
    this.listen = listen;
    this.scheme = scheme;
  }

  /** Returns a test for each attack. All tests use the same target, unless an attack ends it. */
  @TestFactory
  final Stream<DynamicTest> otherClientsAreServedAndNothingIsKept() {
    TargetProcess target = new TargetProcess(listen);
    return Arrays.stream(Attack.values())
        .filter(attack -> attack.isMeantFor(scheme + ":"))
        .map(attack -> DynamicTest.dynamicTest(attack.toString(), () -> {
          survives(attack, target.uri().replaceFirst("^[^:]+", scheme));
          assertThat(target.isAlive()).isTrue();
        }))
        .onClose(target::close);
  }

  private static void survives(Attack attack, String uri) throws Exception {
    try (Peer observer = Repartee.connect(uri);
        WellBehavedClient client = WellBehavedClient.at(uri)) {
      observer.call("kept", long[].class); // otherwise the server would close the silent connection
      client.awaitServed(1);
      try (AttackRun run = attack.on(uri)) {
        client.awaitServed(CALLS);
        if (!attack.reactions().isEmpty()) {
          run.awaitReactions(attack.connections());
          assertThat(attack.reactions()).containsAll(run.reactions().keySet());
        }
        client.awaitServed(1);
      }
      client.awaitServed(1);
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

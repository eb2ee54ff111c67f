package dev.repartee.testkit.attack;

import dev.repartee.Call;
import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.testkit.examples.ExampleMethods;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;

/**
 * The target of an {@link Attack}: a server with the example methods and with expensive methods,
 * one that waits, one with a large result and one that keeps names. It accepts {@value
 * #CONNECTIONS} connections; all other limits are the defaults.
 */
public class TargetServer extends ExampleMethods {
  /** The limit of connections. */
  public static final int CONNECTIONS = 1_000;

  /** The options of the server. */
  public static final Options OPTIONS =
      Options.builder().limits(limits -> limits.connections(CONNECTIONS)).build();

  /** Creates the methods. They have no state; one object can serve all connections. */
  public TargetServer() {}

  /**
   * Serves until the process is killed. Writes {@code listening on URI} to standard error when it
   * is ready.
   *
   * @param args the URI to listen on
   */
  public static void main(String[] args) throws Exception {
    try (Server server = Repartee.listen(args[0], new TargetServer().service(), OPTIONS)) {
      System.err.println("listening on " + server.endpoint());
      server.join();
    }
  }

  /** Waits for a number of milliseconds, unless the call is cancelled. */
  @Rpc
  public long sleep(long millis, Call call) throws InterruptedException {
    call.cancellation().sleep(Duration.ofMillis(millis));
    return millis;
  }

  /** Returns a text of the given length. */
  @Rpc
  public String text(int length) {
    return "x".repeat(length);
  }

  /** Returns the number of names. */
  @Rpc(lane = Lane.INLINE)
  public int count(Map<String, Integer> names) {
    return names.size();
  }

  /** Returns the held bytes of the process, and the heap use after a collection in bytes. */
  @Rpc
  public long[] kept() {
    System.gc();
    long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    return new long[] {
      MemoryBudget.ofProcess().held() + MemoryBudget.ofAnswers().held(), heap
    };
  }
}

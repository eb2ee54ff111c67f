package dev.repartee.testkit;

import dev.repartee.Call;
import dev.repartee.HeldBytes;
import dev.repartee.Lane;
import dev.repartee.Limits;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;

/**
 * The server that an {@link Attack} is meant for: the example methods, and what calls cost a server
 * most: one that waits, one that answers much, one that keeps names. It takes {@value #CONNECTIONS}
 * connections; all other limits are the defaults.
 */
public class Victim extends ExampleMethods {
  /** As many connections as it takes. */
  public static final int CONNECTIONS = 1_000;

  /** What it is served with. */
  public static final Options OPTIONS =
      Options.DEFAULT.with(Limits.DEFAULT.withConnections(CONNECTIONS));

  /** Methods without state: one may serve all connections. */
  public Victim() {}

  /**
   * Serves at the URI that is the one argument, in a process of its own, until that is killed. Says
   * {@code listening on URI} on standard error.
   */
  public static void main(String[] args) throws Exception {
    try (Server server = Repartee.listen(args[0], new Victim().service(), OPTIONS)) {
      System.err.println("listening on " + server.endpoint());
      server.join();
    }
  }

  /** Waits that long, unless it is cancelled. */
  @Rpc
  public long sleep(long millis, Call call) throws InterruptedException {
    call.cancellation().sleep(Duration.ofMillis(millis));
    return millis;
  }

  /** A text of that length. */
  @Rpc
  public String text(int length) {
    return "x".repeat(length);
  }

  /** How many names there are. */
  @Rpc(lane = Lane.INLINE)
  public int count(Map<String, Integer> names) {
    return names.size();
  }

  /** What the process counts as held, and what its heap holds after a collection, in bytes. */
  @Rpc
  public long[] kept() {
    System.gc();
    long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    return new long[] {HeldBytes.ofProcess().held() + HeldBytes.ofAnswers().held(), heap};
  }
}

package dev.repartee.transport;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The selector loops of this process. Connections are distributed over them, and each connection
 * stays on one loop.
 *
 * <p>A new connection goes to the loop with the fewest connections. Another loop starts only if all
 * have some, up to one loop for every two CPUs: handlers and the kernel need CPU time as well. The
 * system property {@value #PROPERTY} sets another maximum. Thread-safe.
 */
final class Loops {
  /** The system property with the maximum number of loops. */
  static final String PROPERTY = "repartee.loops";

  private final int max;
  private final List<Loop> started = new ArrayList<>();

  Loops(int max) {
    this.max = max;
    started.add(Loop.start("repartee-loop"));
  }

  private static final class Process {
    static final Loops LOOPS =
        new Loops(max(System.getProperty(PROPERTY), Runtime.getRuntime().availableProcessors()));

    static {
      try {
        Runtime.getRuntime().addShutdownHook(new Thread(LOOPS::ending, "repartee-loop-ending"));
      } catch (IllegalStateException late) {
        // The JVM is exiting already.
      }
    }
  }

  /** Returns the loops of this process; the first call starts the first loop. */
  static Loops ofProcess() {
    return Process.LOOPS;
  }

  static int max(@Nullable String property, int cpus) {
    if (property == null) {
      return Math.max(1, cpus / 2);
    }
    if (!property.matches("[1-9][0-9]{0,3}")) {
      throw new IllegalArgumentException("the system property " + PROPERTY
          + " is how many threads serve sockets, from 1 to 9999, not '" + property + "'");
    }
    return Integer.parseInt(property);
  }

  /**
   * Returns the first loop, which also accepts connections and serves channels without a socket.
   */
  synchronized Loop first() {
    return started.get(0);
  }

  /** Returns the loop for a new connection, which must call {@link Loop#left} once at its end. */
  synchronized Loop enter() {
    Loop best = started.get(0);
    for (Loop loop : started) {
      if (loop.connections() < best.connections()) {
        best = loop;
      }
    }
    if (best.connections() > 0 && started.size() < max) {
      best = Loop.start("repartee-loop-" + (started.size() + 1));
      started.add(best);
    }
    best.entered();
    return best;
  }

  private synchronized void ending() {
    started.forEach(Loop::ending);
  }
}

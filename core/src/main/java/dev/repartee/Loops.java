package dev.repartee;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The loops of this process: connections are spread over them, and each stays on its own.
 *
 * <p>A new connection goes to the loop that has the fewest; another loop starts only when all have
 * some, up to one for every two CPUs, since what handlers and the kernel do wants CPUs too. The system
 * property {@value #PROPERTY} sets another number. Thread-safe.
 */
final class Loops {
  /** The system property that sets how many loops there may be. */
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
        // The JVM ends already.
      }
    }
  }

  /** Those of this process, started by who asks first. */
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

  /** The loop of whatever is no connection: it accepts, and looks at the clock. */
  synchronized Loop first() {
    return started.get(0);
  }

  /** The loop for one connection more; it is {@linkplain Loop#left left} once. */
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

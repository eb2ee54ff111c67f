package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.ref.SoftReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Ends the process of a command that cannot end by itself: because its memory is used up, or because
 * something has blocked it for longer than any wait of its own takes. A JVM without memory can neither
 * finish a time-out nor start the thread that handles a signal, so this thread allocates nothing once it
 * runs. Commands that serve have none: they go on when one request has taken all memory.
 */
final class Watchdog extends Thread {
  private static final long PERIOD = 100_000_000;

  /** A JVM that cannot find this much has no memory left. */
  private static final int RESERVE = 1 << 20;

  private static final byte[] EXHAUSTED =
      "repartee: the memory is used up; REPARTEE_OPTS=-Xmx1g gives the command 1 GB\n"
          .getBytes(UTF_8);

  private static final byte[] BLOCKED =
      "repartee: the command has not ended in time and is ended now; --timeout gives it longer\n"
          .getBytes(UTF_8);

  private static final FileOutputStream ERR = new FileOutputStream(FileDescriptor.err);

  private static volatile long end;
  private static volatile boolean ends;
  private static volatile byte @Nullable [] reserve;

  private final Thread nothing = new Thread();

  private Watchdog() {
    super("repartee-watchdog");
    setDaemon(true);
    setPriority(MAX_PRIORITY);
  }

  /** Watches this process from now on. */
  static void watch() {
    Watchdog watchdog = new Watchdog();
    // Loads the classes that halt() takes: without memory it cannot.
    Runtime.getRuntime().addShutdownHook(watchdog.nothing);
    Runtime.getRuntime().removeShutdownHook(watchdog.nothing);
    watchdog.start();
  }

  /** Has the process, where it is watched, end in that time at the latest. */
  static void endWithin(long nanos) {
    end = System.nanoTime() + nanos;
    ends = true;
  }

  /** Ends the process for want of memory. */
  static void exhausted() {
    end(EXHAUSTED, Exit.MEMORY);
  }

  @Override
  public void run() {
    try {
      SoftReference<Object> canary = new SoftReference<>(new Object());
      while (true) {
        LockSupport.parkNanos(PERIOD);
        // The JVM clears soft references before it gives up an allocation. One that has been asked
        // for
        // since the last collection is cleared for nothing less.
        if (canary.get() == null) {
          reserve = new byte[RESERVE];
          reserve = null;
          canary = new SoftReference<>(new Object());
        }
        if (ends && System.nanoTime() - end >= 0) {
          end(BLOCKED, Exit.LOST);
        }
      }
    } catch (OutOfMemoryError e) {
      exhausted();
    }
  }

  private static void end(byte[] message, int exit) {
    try {
      ERR.write(message);
    } catch (IOException | OutOfMemoryError e) {
      // The exit code says it too.
    }
    while (true) {
      try {
        Runtime.getRuntime().halt(exit);
      } catch (OutOfMemoryError e) {
        // Others give memory back now and then.
      }
    }
  }
}

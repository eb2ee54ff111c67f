package dev.repartee.cli.options;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.cli.terminal.Exit;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.ref.SoftReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Ends the process of a command that cannot end by itself, because it is out of memory, or because
 * it is blocked for longer than its time limits. A JVM without memory can neither handle a time-out
 * nor start the thread that handles a signal. This thread ends the process without an allocation.
 * Servers run without a watchdog, because they continue after a request has used all memory.
 */
public final class Watchdog extends Thread {
  /** The interval of the checks, in nanoseconds. */
  private static final long PERIOD = 100_000_000;

  /** The size of a test allocation, in bytes. If it fails, the memory is used up. */
  private static final int RESERVE = 1 << 20;

  private static final byte[] EXHAUSTED =
      "repartee: out of memory; set REPARTEE_OPTS=-Xmx1g to give the command 1 GB\n"
          .getBytes(UTF_8);

  private static final byte[] BLOCKED =
      "repartee: the command did not end in time and was killed; raise the limit with --timeout\n"
          .getBytes(UTF_8);

  private static final FileOutputStream ERR = new FileOutputStream(FileDescriptor.err);

  private static volatile long end;
  private static volatile boolean ends;
  /** The test allocation; a field, so that the compiler cannot remove it. */
  private static volatile byte @Nullable [] reserve;

  /** A shutdown hook that does nothing, see {@link #watch}. */
  private final Thread nothing = new Thread();

  private Watchdog() {
    super("repartee-watchdog");
    setDaemon(true);
    setPriority(MAX_PRIORITY);
  }

  /** Starts the watchdog of this process. */
  public static void watch() {
    Watchdog watchdog = new Watchdog();
    // Loads the classes that halt() needs, which cannot be loaded without memory.
    Runtime.getRuntime().addShutdownHook(watchdog.nothing);
    Runtime.getRuntime().removeShutdownHook(watchdog.nothing);
    watchdog.start();
  }

  /** Sets the time after which the watchdog ends the process. */
  public static void endWithin(long nanos) {
    end = System.nanoTime() + nanos;
    ends = true;
  }

  /** Removes the time that {@link #endWithin} has set, while the command waits for its input. */
  public static void rest() {
    ends = false;
  }

  /** Ends the process with {@link Exit#MEMORY}. */
  public static void exhausted() {
    end(EXHAUSTED, Exit.MEMORY);
  }

  @Override
  public void run() {
    try {
      SoftReference<Object> canary = new SoftReference<>(new Object());
      while (true) {
        LockSupport.parkNanos(PERIOD);
        // The JVM clears all soft references before an allocation fails. It clears a reference that
        // was read since the last collection only for this reason.
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
      // The exit code reports the reason as well.
    }
    while (true) {
      try {
        Runtime.getRuntime().halt(exit);
      } catch (OutOfMemoryError e) {
        // Tries again: other threads may release memory.
      }
    }
  }
}

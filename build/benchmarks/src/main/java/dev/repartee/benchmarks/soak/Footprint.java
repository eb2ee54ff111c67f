package dev.repartee.benchmarks.soak;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.repartee.benchmarks.process.MemoryUse;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The resources of a process.
 *
 * @param heap reachable bytes
 * @param threads platform threads
 * @param files open files, including sockets; 0 if unknown
 */
record Footprint(long heap, int threads, long files) {
  /** The time for idle threads to end. */
  private static final Duration SETTLING = Duration.ofMinutes(2);

  /** The allowed growth by code that is loaded later and by caches of the JDK. */
  private static final long MORE_HEAP = 12L << 20;

  private static final int MORE_THREADS = 6;
  private static final int MORE_FILES = 6;

  /** Returns the resources of this process, after a garbage collection. */
  static Footprint now() {
    long heap = MemoryUse.now().heap();
    int threads = ManagementFactory.getThreadMXBean().getThreadCount();
    long files =
        ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
            ? unix.getOpenFileDescriptorCount()
            : 0;
    return new Footprint(heap, threads, files);
  }

  /** Parses the output of {@link #line}. */
  static Footprint of(String line) {
    String[] words = line.split(" ");
    return new Footprint(
        Long.parseLong(words[0]), Integer.parseInt(words[1]), Long.parseLong(words[2]));
  }

  String line() {
    return heap + " " + threads + " " + files;
  }

  /** A look at the resources of a process. */
  interface Look {
    Footprint now() throws IOException;
  }

  /** Returns the resources of a process after temporary resources were released. */
  static Footprint settled(Look look, @Nullable Footprint before) throws Exception {
    long end = System.nanoTime() + SETTLING.toNanos();
    Footprint last = look.now();
    Footprint now = last;
    do {
      last = now;
      Thread.sleep(2_000);
      now = look.now();
    } while (System.nanoTime() < end
        && (before == null
            ? now.threads < last.threads || now.files < last.files
            : !now.isNear(before)));
    return now;
  }

  /** Prints the resources of a process; returns whether they have not grown. */
  static boolean held(String whose, Footprint before, Footprint after) {
    boolean near = after.isNear(before);
    System.out.printf("%s: %s before; %s after%s%n", whose, before, after, near ? "" : " !");
    return near;
  }

  /** Returns whether the process is back at, or near, its earlier resources. */
  boolean isNear(Footprint before) {
    return heap <= before.heap + MORE_HEAP
        && threads <= before.threads + MORE_THREADS
        && files <= before.files + MORE_FILES;
  }

  @Override
  public String toString() {
    return String.format(
        java.util.Locale.ROOT,
        "%.1f MiB of heap, %d threads, %d open files",
        heap / 1048576.0,
        threads,
        files);
  }
}

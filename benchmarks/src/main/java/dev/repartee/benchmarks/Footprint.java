package dev.repartee.benchmarks;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * What a process holds.
 *
 * @param heap bytes that are reachable
 * @param threads threads of the platform
 * @param files open files, sockets among them; 0 where that is not known
 */
record Footprint(long heap, int threads, long files) {
  /** What code that is loaded later, and the JDK's own caches, may add. */
  private static final long MORE_HEAP = 12L << 20;

  private static final int MORE_THREADS = 6;
  private static final int MORE_FILES = 6;

  /** Of this process, after a collection. */
  static Footprint now() {
    long heap = MemoryUse.now().heap();
    int threads = ManagementFactory.getThreadMXBean().getThreadCount();
    long files =
        ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
            ? unix.getOpenFileDescriptorCount()
            : 0;
    return new Footprint(heap, threads, files);
  }

  /** Reads what {@link #line} wrote. */
  static Footprint of(String line) {
    String[] words = line.split(" ");
    return new Footprint(
        Long.parseLong(words[0]), Integer.parseInt(words[1]), Long.parseLong(words[2]));
  }

  String line() {
    return heap + " " + threads + " " + files;
  }

  /** Whether a process that had that before is back where it was, or near. */
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

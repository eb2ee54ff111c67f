package dev.repartee.benchmarks.process;

import java.nio.file.Path;

/** The limit of open files and sockets of a process; on Linux a JVM raises it to the hard limit. */
public final class OpenFiles {
  private static final Path LIMITS = Path.of("/proc/self/limits");

  /** The number of other files that a process opens. */
  private static final int OTHERS = 500;

  private OpenFiles() {}

  /** Returns the number of connections, limited to the number that can be open. */
  public static int most(int connections) {
    return Math.min(connections, limit() - OTHERS);
  }

  private static int limit() {
    // Without the file, opening too many sockets fails with an error.
    return SystemFile.value(LIMITS, "Max open files")
        .map(limits -> limits.trim().split("\\s{2,}")[1])
        .filter(hard -> !hard.equals("unlimited"))
        .map(Integer::valueOf)
        .orElse(Integer.MAX_VALUE);
  }
}

package dev.repartee.benchmarks.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

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
    try (Stream<String> lines = Files.lines(LIMITS)) {
      return lines
          .filter(line -> line.startsWith("Max open files"))
          .map(line -> line.trim().split("\\s{2,}")[2])
          .mapToInt(hard -> hard.equals("unlimited") ? Integer.MAX_VALUE : Integer.parseInt(hard))
          .findFirst()
          .orElse(Integer.MAX_VALUE);
    } catch (IOException e) {
      return Integer.MAX_VALUE; // not Linux: opening too many sockets fails with an error
    }
  }
}

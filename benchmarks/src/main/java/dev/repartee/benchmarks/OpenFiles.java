package dev.repartee.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** How many files and sockets a process may open: on Linux a JVM raises that to what it may be. */
final class OpenFiles {
  private static final Path LIMITS = Path.of("/proc/self/limits");

  /** What a process opens beside the sockets that are asked for. */
  private static final int OTHERS = 500;

  private OpenFiles() {}

  /** So many connections, or as many as can be open. */
  static int most(int connections) {
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
      return Integer.MAX_VALUE; // not Linux: whoever opens too many will be told
    }
  }
}

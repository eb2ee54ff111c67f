package dev.repartee.benchmarks.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Files that describe the system, a process or a JDK, with a line for each value. */
public final class SystemFile {
  private SystemFile() {}

  /**
   * Returns the rest of the first line with that start; empty without such a line or file, as on
   * systems other than Linux.
   */
  public static Optional<String> value(Path file, String start) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(start))
          .map(line -> line.substring(start.length()))
          .findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}

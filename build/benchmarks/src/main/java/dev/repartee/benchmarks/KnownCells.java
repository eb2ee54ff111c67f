package dev.repartee.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toCollection;

import dev.repartee.benchmarks.process.Jvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The cells that another build can measure: an older one has no server for a later contestant. The
 * build lists them itself.
 */
record KnownCells(Set<String> names) {
  /**
   * Asks a build for its cells.
   *
   * @param jvm a JVM with the classes of that build
   * @param folder the folder for its files
   * @throws IOException if it cannot list them
   */
  static KnownCells of(Jvm jvm, Path folder, Path log) throws IOException {
    List<String> command =
        jvm.unpinned(List.of("-Drepartee.benchmarks=" + folder), Main.class, "--list");
    Process process = new ProcessBuilder(command)
        .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
    process.getOutputStream().close();
    try (var out = process.inputReader(UTF_8)) {
      Set<String> names = out.lines().collect(toCollection(LinkedHashSet::new));
      if (process.waitFor() != 0 || names.isEmpty()) {
        throw new IOException("the other build does not list its cells; see " + log);
      }
      return new KnownCells(names);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      process.destroyForcibly();
    }
  }

  /** Returns whether the build can measure that cell, of itself or of another build. */
  boolean contains(Cell cell) {
    return names.contains(plain(cell).toString());
  }

  private static Cell plain(Cell cell) {
    return new Cell(contestant(cell), cell.workload(), cell.shape());
  }

  private static String contestant(Cell cell) {
    return cell.entrant().replaceFirst("@.*", "");
  }

  /**
   * Returns the cells that the build does not know, without the name of a build; if it knows none
   * of a contestant, the name of the contestant.
   */
  List<String> missing(List<Cell> cells) {
    List<Cell> unknown = new ArrayList<>(cells);
    unknown.removeIf(this::contains);
    return unknown.stream()
        .map(cell -> isKnown(contestant(cell)) ? plain(cell).toString() : contestant(cell))
        .distinct()
        .toList();
  }

  private boolean isKnown(String contestant) {
    return names.stream().anyMatch(name -> name.endsWith("/" + contestant));
  }
}

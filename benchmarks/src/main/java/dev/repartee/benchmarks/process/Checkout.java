package dev.repartee.benchmarks.process;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Another build of Repartee: a folder with the same modules, already compiled. If the benchmarks
 * are compiled there too, its processes run those: benchmarks of this build cannot run with an API
 * of core that has changed since.
 */
public record Checkout(Path folder) {
  private static final List<String> NEEDED = List.of("core", "netty");
  private static final String BENCHMARKS = "benchmarks";
  private static final Path CLASSES = Path.of("target", "classes");

  public Checkout {
    for (String module : NEEDED) {
      Path classes = classes(folder, module);
      if (!Files.isDirectory(classes)) {
        throw new IllegalArgumentException(classes + " is missing; build it: (cd " + folder
            + " && ./mvnw -q -ntp -Dquick -pl core,netty -am compile)");
      }
    }
  }

  private static Path classes(Path folder, String module) {
    return folder.resolve(module).resolve(CLASSES);
  }

  /** Returns whether the processes of this build run its own benchmarks. */
  public boolean hasBenchmarks() {
    return Files.isDirectory(classes(folder, BENCHMARKS));
  }

  /**
   * Returns {@code classPath} with our classes replaced by those of this build: of all its modules
   * if it runs its own benchmarks, which were compiled with them.
   */
  String replaceIn(String classPath) {
    List<String> entries = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator)) {
      entries.add(replace(Path.of(entry)).toString());
    }
    return String.join(File.pathSeparator, entries);
  }

  private Path replace(Path entry) {
    if (entry.endsWith(CLASSES)) {
      int end = entry.getNameCount() - CLASSES.getNameCount();
      // A module is a folder of the checkout, or of a folder of modules, such as protocols/mcp.
      for (int depth = 1; depth <= 2 && depth <= end; depth++) {
        Path module = entry.subpath(end - depth, end);
        Path classes = classes(folder, module.toString());
        if (isReplaced(module) && Files.isDirectory(classes)) {
          return classes;
        }
      }
    }
    return entry;
  }

  private boolean isReplaced(Path module) {
    return hasBenchmarks() || NEEDED.contains(module.toString());
  }
}

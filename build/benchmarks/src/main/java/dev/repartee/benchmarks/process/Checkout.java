package dev.repartee.benchmarks.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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
      if (classes(folder, module) == null) {
        throw new IllegalArgumentException("the classes of " + module + " are missing in " + folder
            + "; build them: (cd " + folder + " && ./mvnw -q -ntp -Dquick compile)");
      }
    }
  }

  /**
   * Returns the classes of a module, by the name of its folder: of the checkout, or of a group of
   * modules, such as protocols. Null if they are not compiled.
   */
  private static @Nullable Path classes(Path folder, String module) {
    try (Stream<Path> groups = Files.list(folder)) {
      return Stream.concat(Stream.of(folder), groups.sorted())
          .map(group -> group.resolve(module).resolve(CLASSES))
          .filter(Files::isDirectory)
          .findFirst()
          .orElse(null);
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read " + folder + ": " + e.getMessage(), e);
    }
  }

  /** Returns whether the processes of this build run its own benchmarks. */
  public boolean hasBenchmarks() {
    return classes(folder, BENCHMARKS) != null;
  }

  /**
   * Returns {@code classPath} with our classes replaced by the classes of this build: of all its
   * modules if it runs its own benchmarks, which were compiled with them.
   */
  String replaceIn(String classPath) {
    List<String> entries = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator)) {
      entries.add(replace(Path.of(entry)).toString());
    }
    return String.join(File.pathSeparator, entries);
  }

  private Path replace(Path entry) {
    int end = entry.getNameCount() - CLASSES.getNameCount();
    if (!entry.endsWith(CLASSES) || end < 1) {
      return entry;
    }
    String module = entry.getName(end - 1).toString();
    Path classes = hasBenchmarks() || NEEDED.contains(module) ? classes(folder, module) : null;
    return classes == null ? entry : classes;
  }
}

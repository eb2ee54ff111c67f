package dev.repartee.benchmarks;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another build of Repartee: a folder with the same modules, already compiled. */
record Checkout(Path folder) {
  private static final List<String> MODULES = List.of("core", "netty");

  Checkout {
    for (String module : MODULES) {
      Path classes = folder.resolve(module).resolve("target/classes");
      if (!Files.isDirectory(classes)) {
        throw new IllegalArgumentException(classes + " is missing; build it: (cd " + folder
            + " && ./mvnw -q -ntp -Dquick -pl core,netty -am compile)");
      }
    }
  }

  /** Returns {@code classPath} with our classes replaced by those of this build. */
  String replaceIn(String classPath) {
    List<String> entries = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator)) {
      entries.add(replace(Path.of(entry)).toString());
    }
    return String.join(File.pathSeparator, entries);
  }

  private Path replace(Path entry) {
    for (String module : MODULES) {
      if (entry.endsWith(Path.of(module, "target", "classes"))) {
        return folder.resolve(module).resolve("target/classes");
      }
    }
    return entry;
  }
}

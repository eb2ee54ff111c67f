package dev.repartee.benchmarks;

import java.net.URISyntaxException;
import java.nio.file.Path;

/** The folder of this module, which is run where it was built. */
final class ModuleFolder {
  private ModuleFolder() {}

  /** A file in it. */
  static Path file(String path) {
    try {
      Path classes = Path.of(
          ModuleFolder.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return classes.resolve("../..").resolve(path).normalize();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}

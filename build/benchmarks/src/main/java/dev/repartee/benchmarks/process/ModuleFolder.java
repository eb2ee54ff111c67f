package dev.repartee.benchmarks.process;

import java.net.URISyntaxException;
import java.nio.file.Path;

/** The folder of this module, derived from the place of its classes. */
public final class ModuleFolder {
  private ModuleFolder() {}

  /** Returns a file in the folder of this module. */
  public static Path file(String path) {
    try {
      Path classes = Path.of(
          ModuleFolder.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return classes.resolve("../..").resolve(path).normalize();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}

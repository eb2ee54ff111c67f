package dev.repartee.examples.guides;

import java.nio.file.Path;
import java.util.List;

/** The commands that start programs of the guides. */
final class Programs {
  private Programs() {}

  /** Returns the command that runs the main method of a class, with the class path of the test. */
  static List<String> java(Class<?> main) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        System.getProperty("java.class.path"),
        main.getName());
  }
}

package dev.repartee.examples.guides;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Programs of npm, installed in the folder that the system property {@code repartee.npm} names; see
 * {@code .ci/run}.
 */
final class NodeModules {
  static final String MISSING =
      "-Drepartee.npm names no folder in which npm has installed what .ci/run installs";

  private static final Path FOLDER =
      Path.of(System.getProperty("repartee.npm", ""), "node_modules").toAbsolutePath();

  private NodeModules() {}

  static boolean has(String module) {
    return Files.isDirectory(FOLDER.resolve(module));
  }

  /** Returns the path of a file in a module. */
  static String file(String path) {
    return FOLDER.resolve(path).toString();
  }

  /** Starts a program that finds the modules; its standard error is merged into its output. */
  static Process start(List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("NODE_PATH", FOLDER.toString());
    return builder.start();
  }
}

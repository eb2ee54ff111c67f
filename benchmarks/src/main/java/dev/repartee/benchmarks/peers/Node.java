package dev.repartee.benchmarks.peers;

import dev.repartee.benchmarks.process.ModuleFolder;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The scripts for Node.js in {@code src/main/node}. They are copied to {@code target/node}, and
 * their packages are installed there.
 */
final class Node {
  private static final Path SOURCES = ModuleFolder.file("src/main/node");
  private static final Path INSTALLED = ModuleFolder.file("target/node");
  private static final int PATIENCE_SECONDS = 60;

  private Node() {}

  /** Returns the path of a script, for the command {@code node}. */
  static String script(String name) {
    return INSTALLED.resolve(name).toString();
  }

  /**
   * Returns the missing requirement of the scripts, or null. Installs their packages, once a
   * process.
   */
  static @Nullable String lacks() {
    return Installation.LACKS;
  }

  private static final class Installation {
    static final @Nullable String LACKS = install();

    private static @Nullable String install() {
      Path log = INSTALLED.resolve("npm.log");
      try {
        Files.createDirectories(INSTALLED);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(SOURCES)) {
          for (Path file : files) {
            Path copy = INSTALLED.resolve(file.getFileName());
            Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
          }
        }
        Process npm = new ProcessBuilder("npm", "ci", "--prefer-offline", "--ignore-scripts")
            .directory(INSTALLED.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
        if (!npm.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
          npm.destroyForcibly();
        }
        return npm.waitFor() == 0 ? null : "packages that npm could not install; see " + log;
      } catch (IOException e) {
        return "Node.js with npm: " + e.getMessage();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return "the time to install its packages";
      }
    }
  }
}

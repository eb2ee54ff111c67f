package dev.repartee.benchmarks.peers;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.process.Child;
import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.process.ModuleFolder;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Servers that need another JDK or Node.js, each a separate process. Helidon's classes need JDK 21, so the JDK compiles
 * the source of its server at the start. The scripts for Node.js in {@code src/main/node} are
 * copied to {@code target/node}, and their packages are installed there.
 */
final class OtherServers {
  private static final Path SOURCES = ModuleFolder.file("src/main/node");
  private static final Path INSTALLED = ModuleFolder.file("target/node");
  private static final int PATIENCE_SECONDS = 60;

  private OtherServers() {}

  static Address helidon(boolean noDelay) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(Jvm.MEMORY);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ModuleFolder.file("src/main/helidon/HelidonServer.java").toString());
    return started(command, noDelay);
  }

  static Address node(boolean noDelay) throws IOException {
    return started(
        new ArrayList<>(List.of("node", INSTALLED.resolve("server.js").toString())), noDelay);
  }

  private static Address started(List<String> command, boolean noDelay) throws IOException {
    command.add(Boolean.toString(noDelay));
    Child server = new Child(command);
    return new Address(server.pid(), server.hear());
  }

  /**
   * Returns the missing requirement of the scripts for Node.js, or null. Installs their packages,
   * once a process.
   */
  static @Nullable String lacksNode() {
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

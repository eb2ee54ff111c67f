package dev.repartee.users;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The bundle that a release would send to Maven Central, unpacked: a Maven repository from which
 * projects of users are built.
 *
 * @param repository the folder of the repository
 */
record ReleasedModules(Path repository) {
  /**
   * Options for a JVM that runs for seconds: the second compiler would cost it more than it saves.
   */
  static final String QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));

  /** Unpacks the bundle of {@code -Drepartee.release} into a new folder. */
  static ReleasedModules unpack(Path folder) throws IOException {
    File bundle = Path.of(System.getProperty("repartee.release"), "one.zip").toFile();
    try (ZipFile zip = new ZipFile(bundle)) {
      for (ZipEntry entry : zip.stream().filter(entry -> !entry.isDirectory()).toList()) {
        Path file = folder.resolve(entry.getName());
        Files.createDirectories(file.getParent());
        try (InputStream in = zip.getInputStream(entry)) {
          Files.copy(in, file);
        }
      }
    }
    return new ReleasedModules(folder);
  }

  /**
   * Builds a copy of a project in {@code src/test} on this JDK; a later build uses the same copy.
   *
   * @param name the name of the folder of the project
   * @param options further options for Maven
   * @return the output folder
   */
  Path build(String name, String... options) throws Exception {
    Path project = repository.resolveSibling(name);
    Path sources = ROOT.resolve("build/users/src/test").resolve(name);
    if (Files.notExists(project)) {
      copy(sources, project);
    }
    Path log = repository.resolveSibling(name + ".log");
    // The local repository of this build is only read: it has all, or most, that is not in the
    // bundle.
    List<String> command = new ArrayList<>(List.of(
        ROOT.resolve("mvnw").toString(),
        "-q",
        "-B",
        "-f",
        project.toString(),
        "-Dmaven.repo.local=" + repository.resolveSibling("local"),
        "-Dmaven.repo.local.tail=" + System.getProperty("localRepository"),
        "-Drepartee.repository=" + repository.toUri(),
        "-Drepartee.version=" + version(),
        "package"));
    command.addAll(List.of(options));
    ProcessBuilder maven = new ProcessBuilder(command)
        .directory(project.toFile())
        .redirectErrorStream(true)
        .redirectOutput(log.toFile());
    maven.environment().put("JAVA_HOME", System.getProperty("java.home"));
    maven.environment().put("MAVEN_OPTS", QUICK_START);
    int exit = maven.start().waitFor();
    assertThat(exit).as(Files.readString(log)).isZero();
    return project.resolve("target");
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  private String version() throws IOException {
    try (Stream<Path> versions = Files.list(repository.resolve("dev/repartee/repartee-core"))) {
      return versions.findFirst().orElseThrow().getFileName().toString();
    }
  }
}

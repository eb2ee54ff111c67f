package dev.repartee.build;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the class-data archive that the launcher keeps, with the real launcher, command and JVMs in
 * a copy of the build. The archive must have no visible effect except a shorter start.
 */
@DisabledOnOs(OS.WINDOWS)
class ArchiveTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));
  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final String REQUEST = """
      {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}
      """;
  private static final String RESPONSE = """
      {"jsonrpc":"2.0","result":19,"id":1}
      """;

  private static final Path JDK = Path.of(System.getProperty("java.home"));

  @TempDir
  static Path temp;

  private static Path target;
  private static Path archive;
  private static Path bin;

  @BeforeAll
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  static void copyTheBuildAndMakeTheArchive() throws Exception {
    Path built = ROOT.resolve("tools/cli/target");
    assumeTrue(Files.exists(built.resolve("ready")), "the command is not packaged yet");
    target = Files.createDirectories(temp.resolve("tree/tools/cli/target"));
    archive = LauncherArchive.below(target.resolve("archives"));
    Files.copy(ROOT.resolve("repartee"), temp.resolve("tree/repartee"));
    Files.copy(built.resolve("repartee-cli.jar"), target.resolve("repartee-cli.jar"));
    Path lib = Files.createDirectory(target.resolve("lib"));
    try (Stream<Path> jars = Files.list(built.resolve("lib"))) {
      for (Path jar : jars.toList()) {
        Files.copy(jar, lib.resolve(jar.getFileName()));
      }
    }
    bin = Files.createDirectory(temp.resolve("bin"));
    LauncherArchive.ignorePriorities(bin);
    endABuild();
    concurrentFirstUsesDoNotDisturbEachOther();
  }

  private static void concurrentFirstUsesDoNotDisturbEachOther() throws Exception {
    List<Running> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      all.add(launch("", "serve", "--listen", "stdio:"));
    }
    for (Running one : all) {
      serves(one);
    }
    LauncherArchive.await(archive, target.resolve("ready"));
  }

  @Test
  void theFirstUsesMakeTheArchiveAndTheNextLoadsIt() throws Exception {
    serves(launch("", "serve", "--listen", "stdio:"));
    assertThat(sourceOfMain()).contains("shared objects file");
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void anArchiveOfAnotherBuildIsIgnoredSilentlyAndMadeAgain() throws Exception {
    // The launcher cannot notice it yet; the JVM must notice it.
    Path jar = target.resolve("repartee-cli.jar");
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now()));
    serves(launch("", "serve", "--listen", "stdio:"));
    assertThat(sourceOfMain()).contains("repartee-cli.jar");

    endABuild();
    serves(launch("", "serve", "--listen", "stdio:"));
    LauncherArchive.await(archive, target.resolve("ready"));
    serves(launch("", "serve", "--listen", "stdio:"));
    assertThat(sourceOfMain()).contains("shared objects file");
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void anArchiveThatWasBegunBeforeABuildDoesNotReplaceTheArchiveOfTheBuild() throws Exception {
    Path ready = target.resolve("ready");
    endABuild();
    serves(launch("", "serve", "--listen", "stdio:"));
    endABuild();
    awaitTheEndOfAllLaunchers();
    assertThat(Files.getLastModifiedTime(archive)).isLessThan(Files.getLastModifiedTime(ready));

    serves(launch("", "serve", "--listen", "stdio:"));
    LauncherArchive.await(archive, ready);
    assertThat(sourceOfMain()).contains("shared objects file");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"-XX:+UseParallelGC", "-XX:+UseZGC", "-XX:-UseCompressedOops", "-Xshare:off"})
  void optionsThatExcludeTheArchiveAreObeyedSilently(String options) throws Exception {
    serves(launch(options, "serve", "--listen", "stdio:"));
  }

  /**
   * Creates the marker again. The file system must set its time: the clock of the file system may
   * be behind the clock of Java.
   */
  private static void endABuild() throws IOException {
    Files.deleteIfExists(target.resolve("ready"));
    Files.createFile(target.resolve("ready"));
  }

  /** Waits for all processes that make archives: they write into the folder of the tests. */
  @AfterAll
  static void awaitTheEndOfAllLaunchers() throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (ProcessHandle.allProcesses()
        .anyMatch(one -> one.info().commandLine().orElse("").contains(temp + "/tree/"))) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("a launcher still runs after " + PATIENCE);
      }
      Thread.sleep(10); // these processes are not our children
    }
  }

  /** Expects the answer of the protocol, and no other output on either stream. */
  private static void serves(Running command) throws Exception {
    command.process.getOutputStream().write(REQUEST.getBytes(UTF_8));
    command.process.getOutputStream().close();
    assertThat(command.process.waitFor()).isZero();
    assertThat(Files.readString(command.err)).isEqualTo("listening on stdio:\n");
    assertThat(Files.readString(command.out)).isEqualTo(RESPONSE);
  }

  /** Returns the line of the JVM's log that names the source of the command's main class. */
  private static String sourceOfMain() throws Exception {
    Path log = Files.createTempFile(temp, "classes", ".log");
    serves(launch("-Xlog:class+load:file=" + log, "serve", "--listen", "stdio:"));
    try (Stream<String> lines = Files.lines(log)) {
      return lines
          .filter(line -> line.contains("dev.repartee.cli.Main "))
          .findAny()
          .orElseThrow();
    }
  }

  private static Running launch(String options, String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of(temp + "/tree/repartee"));
    command.addAll(List.of(words));
    Path out = Files.createTempFile(temp, "out", "");
    Path err = Files.createTempFile(temp, "err", "");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().put("JAVA_HOME", JDK.toString());
    builder.environment().merge("PATH", "", (path, none) -> bin + ":" + path);
    builder.environment().put("REPARTEE_OPTS", options);
    return new Running(builder.start(), out, err);
  }

  private record Running(Process process, Path out, Path err) {}
}

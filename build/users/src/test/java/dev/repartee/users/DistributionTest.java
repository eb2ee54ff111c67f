package dev.repartee.users;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.build.LauncherArchive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Uses each package of the command in an empty folder. {@code .ci/dry-run-release FOLDER} builds the
 * packages twice.
 */
@Tag("ci")
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@EnabledIfSystemProperty(
    named = "repartee.release",
    matches = ".+",
    disabledReason = "-Drepartee.release names no folder of .ci/dry-run-release")
class DistributionTest {
  private static final Path JDK = Path.of(System.getProperty("java.home"));
  private static final String JAVA = JDK.resolve("bin/java").toString();
  private static final Path DIST = build("one");
  private static final Path JAR = DIST.resolve("repartee.jar");

  private Path folder;

  private Path cache;

  private static Path build(String name) {
    return Path.of(System.getProperty("repartee.release", ""), name + "-dist");
  }

  @BeforeEach
  void makeFolders(@TempDir Path temp) throws IOException {
    folder = Files.createDirectory(temp.resolve("empty"));
    cache = temp.resolve("cache");
    LauncherArchive.ignorePriorities(Files.createDirectory(temp.resolve("bin")));
  }

  @Test
  void twoBuildsAreEqualByteByByte() throws IOException {
    assertThat(below(DIST)).isEqualTo(below(build("two"))).hasSize(5);
    for (String file : below(DIST)) {
      assertThat(Files.mismatch(DIST.resolve(file), build("two").resolve(file)))
          .as(file)
          .isEqualTo(-1);
    }
  }

  @Test
  void theJarRuns() throws Exception {
    String jar = Files.copy(JAR, folder.resolve("a jar.jar")).toString();
    assertThat(run(JAVA, "-jar", jar, "--version")).startsWith("repartee " + version() + " (Java ");
    String server = "exec:" + JAVA + " -jar '" + jar + "' serve --listen stdio:";
    subtracts(server, JAVA, "-jar", jar);
  }

  @Test
  void theJarHasTheServicesAndLicensesOfAllItsLibraries() throws Exception {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      assertThat(jar.isMultiRelease()).isTrue();
      List<String> names = jar.stream().map(Object::toString).toList();
      assertThat(names)
          .doesNotHaveDuplicates()
          .contains("META-INF/LICENSE", "META-INF/NOTICE", "META-INF/THIRD-PARTY.txt")
          .anyMatch(name -> name.matches("META-INF/licenses/jackson-core-.*/META-INF/LICENSE"))
          .noneMatch(name -> name.endsWith("module-info.class"))
          .noneMatch(name -> name.matches("META-INF/[^/]*\\.(SF|RSA|DSA|EC)"));
      String transports = text(jar, "META-INF/services/dev.repartee.transport.Transport");
      assertThat(transports.lines())
          .contains("dev.repartee.amqp.AmqpTransport", "dev.repartee.nats.NatsTransport");
      assertThat(text(jar, "META-INF/THIRD-PARTY.txt")).contains("jackson-core", "picocli");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"zip", "tar.gz"})
  void anArchiveRunsWhereItIsUnpacked(String format) throws Exception {
    String archive = DIST.resolve("repartee-" + version() + "." + format).toString();
    if (format.equals("zip")) {
      assumeTrue(isInstalled("unzip"), "unzip is missing");
      run("unzip", "-q", archive);
    } else {
      run("tar", "-xzf", archive);
    }
    Path root = folder.resolve("repartee-" + version());
    assertThat(root.resolve("bin/repartee.cmd")).content().contains("\r\n");
    assertThat(root.resolve("share/man/man1/repartee-mcp-serve.1.gz")).exists();
    Path link = Files.createSymbolicLink(folder.resolve("link"), root.resolve("bin/repartee"));
    usesTheArchive(link, root.toRealPath());
    // Java 17 archives no classes of a jar if its path contains a blank.
    Path moved = Files.move(root, folder.resolve("a path with blanks"));
    runs(moved.resolve("bin/repartee"));
    awaitTheArchive(moved.toRealPath()); // empty on Java 17
    Path split = Files.move(moved, folder.resolve("a:colon")).resolve("bin/repartee");
    assertThat(run("sh", "-c", "'" + split + "' --version 2>&1 || echo exit $?"))
        .contains("Java needs a path without a colon")
        .endsWith("exit 2\n");
  }

  /** The launcher starts the Java that a file there names, and loads classes from an archive. */
  @Test
  void aCacheFolderOfAnotherUserOrWithARelativePathIsNotUsed() throws Exception {
    assumeTrue(System.getProperty("user.name").equals("root"), "only root makes files of others");
    run("tar", "-xzf", DIST.resolve("repartee-" + version() + ".tar.gz").toString());
    String launcher = folder.resolve("repartee-" + version() + "/bin/repartee").toString();
    Path foreign = Files.createDirectories(folder.resolve("foreign/repartee"));
    run("chown", "-R", "nobody", folder.resolve("foreign").toString());
    for (String unsafe : List.of(foreign.getParent().toString(), "relative")) {
      run("env", "XDG_CACHE_HOME=" + unsafe, launcher, "--version");
    }
    assertThat(below(foreign)).isEmpty();
    assertThat(folder.resolve("relative")).doesNotExist();
  }

  @Test
  void theDebianPackageIsInstalledAndRemoved() throws Exception {
    assumeTrue(isInstalled("dpkg"), "dpkg is missing");
    assumeTrue(System.getProperty("user.name").equals("root"), "only root installs packages");
    Path root = Files.createDirectory(folder.resolve("root"));
    for (String database : List.of("info", "updates")) {
      Files.createDirectories(root.resolve("var/lib/dpkg").resolve(database));
    }
    Files.createFile(root.resolve("var/lib/dpkg/status"));
    // The Java that it depends on is outside of this root.
    List<String> dpkg = List.of("dpkg", "--root=" + root, "--force-depends", "--log=/dev/null");
    run(dpkg, "--install", DIST.resolve("repartee_" + version() + "_all.deb").toString());
    assertThat(below(root.resolve("usr")))
        .contains(
            "bin/repartee",
            "share/bash-completion/completions/repartee",
            "share/doc/repartee/copyright",
            "share/fish/vendor_completions.d/repartee.fish",
            "share/man/man1/repartee.1.gz",
            "share/zsh/vendor-completions/_repartee");
    Path launcher = root.resolve("usr/bin/repartee");
    usesTheArchive(launcher, root.resolve("usr/share/repartee").toRealPath());
    assertThat(run(launcher.toString(), "completion", "bash"))
        .isEqualTo(
            Files.readString(root.resolve("usr/share/bash-completion/completions/repartee")));

    run(dpkg, "--purge", "repartee");
    assertThat(root.resolve("usr")).doesNotExist();
  }

  private void runs(Path launcher) throws Exception {
    assertThat(run(launcher.toString(), "--version"))
        .startsWith("repartee " + version() + " (Java ");
    String server = "exec:'" + launcher + "' serve --listen stdio:";
    subtracts(server, launcher.toString());
  }

  /** Expects a result. The server prints that it listens, before or after the result. */
  private void subtracts(String server, String... command) throws Exception {
    assertThat(run(List.of(command), "call", server, "subtract", "42", "23").lines())
        .containsOnlyOnce("19");
  }

  /** Expects that a launcher runs, and that later starts use the archive that it makes. */
  private void usesTheArchive(Path launcher, Path root) throws Exception {
    runs(launcher);
    awaitTheArchive(root);
    Path log = cache.resolve("classes.log");
    run("env", "REPARTEE_OPTS=-Xlog:class+load:file=" + log, launcher.toString(), "--version");
    assertThat(Files.readAllLines(log))
        .filteredOn(line -> line.contains(" dev.repartee.cli.Main "))
        .singleElement()
        .asString()
        .contains("shared objects file");
    runs(launcher);
  }

  /** Waits until the process in the background has made the archive, the last of its files. */
  private void awaitTheArchive(Path root) throws Exception {
    Path archives = Path.of(cache + "/repartee/archives" + root);
    LauncherArchive.await(LauncherArchive.below(archives), archives.resolve("build"));
  }

  /** Returns the version of the packages, which is the version of the poms without a suffix. */
  private static String version() throws IOException {
    try (Stream<Path> files = Files.list(DIST)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".zip"))
          .map(name -> name.replaceAll("repartee-|\\.zip", ""))
          .findAny()
          .orElseThrow();
    }
  }

  private static String text(ZipFile zip, String entry) throws IOException {
    return new String(zip.getInputStream(zip.getEntry(entry)).readAllBytes(), UTF_8);
  }

  /** Returns the paths of all files below a folder. */
  private static Set<String> below(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> !Files.isDirectory(file))
          .map(file -> folder.relativize(file).toString())
          .collect(toCollection(TreeSet::new));
    }
  }

  private static boolean isInstalled(String program) {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  private String run(List<String> command, String... more) throws Exception {
    List<String> words = new ArrayList<>(command);
    words.addAll(List.of(more));
    return run(words.toArray(String[]::new));
  }

  /** Runs a command in the folder, expects that it succeeds, and returns all that it prints. */
  private String run(String... command) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    Map<String, String> environment = builder.environment();
    environment.put("JAVA_HOME", JDK.toString());
    environment.put("XDG_CACHE_HOME", cache.toString());
    environment.put("REPARTEE_OPTS", "-XX:TieredStopAtLevel=1"); // the JVMs live for seconds
    String bin = folder.resolveSibling("bin").toString();
    environment.merge("PATH", "", (path, none) -> bin + ":" + path + ":/usr/sbin:/sbin");
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      String said = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor())
          .as(() -> String.join(" ", command) + "\n" + said)
          .isZero();
      return said;
    } finally {
      process.destroyForcibly();
    }
  }
}

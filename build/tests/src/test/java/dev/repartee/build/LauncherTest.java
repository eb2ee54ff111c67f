package dev.repartee.build;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the launcher in a separate tree, with a fake Maven and a fake Java. The fake Java prints
 * its arguments, and records when it must make an archive. {@link ArchiveTest} uses real ones.
 */
@Tag("any-jdk")
@DisabledOnOs(OS.WINDOWS)
class LauncherTest {
  private static final List<String> TOOLS =
      List.of("cat", "find", "mkdir", "mv", "ps", "readlink", "rm", "sed", "sleep", "tail", "ln");

  @TempDir
  Path temp;

  private Path root;
  private Path launcher;
  private Path bin;
  private Path jdk;

  @BeforeEach
  void makeATree() throws IOException {
    root = Files.createDirectory(temp.resolve("a tree: with blanks"));
    Files.createDirectories(root.resolve("tools/cli/src/dist"));
    for (String script : List.of("repartee", "tools/cli/src/dist/build.sh")) {
      Files.copy(Path.of(System.getProperty("repartee.root"), script), root.resolve(script));
    }
    launcher = root.resolve("repartee");
    executable(root.resolve("mvnw"), """
        echo "[ERROR] built with $JAVA_HOME"
        cat >/dev/null
        sleep 0.3
        [ ! -e broken ] || exit 1
        mkdir -p tools/cli/target
        echo built >>builds
        # Long ago: some shells compare times by the second.
        PATH=/bin:/usr/bin touch -t 202001010000 tools/cli/target/ready
        """);
    bin = Files.createDirectory(temp.resolve("bin"));
    for (String tool : TOOLS) {
      provide(tool);
    }
    LauncherArchive.ignorePriorities(bin);
    jdk = jdk("17.0.9");
  }

  /** A launcher starts a background process that makes the archive. */
  @AfterEach
  void awaitTheMakers() throws Exception {
    Path archives = root.resolve("tools/cli/target/archives");
    if (Files.exists(archives)) {
      try (Stream<Path> files = Files.walk(archives)) {
        for (Path begun :
            files.filter(file -> file.toString().endsWith(".begun")).toList()) {
          LauncherArchive.await(Path.of(begun.toString().replaceFirst("\\.begun$", "")), ready());
        }
      }
    }
  }

  @Test
  void firstUseBuildsAndLaterUsesDoNot() throws Exception {
    Said first = launch("call", "x").await();
    assertThat(first.err)
        .isEqualTo("repartee: building the command (first use, about half a minute) ...\n");
    assertThat(first.out).endsWith("tools/cli/target/repartee-cli.jar\ncall\nx\n");
    assertThat(first.exit).isZero();

    Said second = launch("call", "a b", "*", "é").await();
    assertThat(second.err).isEmpty();
    assertThat(second.out).endsWith("repartee-cli.jar\ncall\na b\n*\né\n");
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void aVariableRequestsARebuild() throws Exception {
    launch("call").await();
    Said again = launch(Map.of("REPARTEE_REBUILD", "1"), "call").await();
    assertThat(again.err).isEqualTo("repartee: building the command (REPARTEE_REBUILD) ...\n");
    assertThat(builds()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void concurrentFirstUsesBuildOnce(boolean flock) throws Exception {
    if (flock) {
      assumeTrue(Files.exists(Path.of("/usr/bin/flock")), "no flock here");
      provide("flock");
    }
    List<Running> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      all.add(launch("call", "n" + i));
    }
    for (int i = 0; i < 8; i++) {
      assertThat(all.get(i).await().out).endsWith("\nn" + i + "\n");
    }
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void lockOfAProcessThatIsGoneIsTakenOver() throws Exception {
    Path target = Files.createDirectory(root.resolve("target"));
    Files.createSymbolicLink(target.resolve("repartee.lock.1"), Path.of("99999999"));
    List<Running> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      all.add(launch("call"));
    }
    for (Running one : all) {
      assertThat(one.await().exit).isZero();
    }
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void aLauncherByAnotherNameHoldsTheLockToo() throws Exception {
    Path other = Files.createSymbolicLink(temp.resolve("other"), root.resolve("repartee"));
    List<Running> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      all.add(launch(temp, Map.of(), other.toString(), "call"));
    }
    for (Running one : all) {
      assertThat(one.await().exit).isZero();
    }
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void leftoversOfAFailedBuildAreRemovedBeforeTheNext() throws Exception {
    Path module = Files.createDirectories(root.resolve("protocols/one"));
    Files.createFile(module.resolve("pom.xml"));
    Path classes = Files.createDirectories(module.resolve("target/classes"));
    Path jar = Files.createFile(module.resolve("target/one.jar"));
    Path report = Files.createFile(module.resolve("target/report"));
    Path broken = Files.createFile(root.resolve("broken"));
    assertThat(launch("call").await().exit).isEqualTo(2);
    assertThat(classes).as("may be valid").exists();

    Files.delete(broken);
    assertThat(launch("call").await().exit).isZero();
    assertThat(classes).doesNotExist();
    assertThat(jar).doesNotExist();
    assertThat(report).exists();

    Files.createDirectories(classes);
    Files.delete(ready());
    assertThat(launch("call").await().exit).isZero();
    assertThat(classes).as("was complete").exists();
  }

  @Test
  void theArchiveMakerHoldsNoPipeOfTheCaller() throws Exception {
    moveTo("a tree without colons");
    Path held = Files.createFile(temp.resolve("held"));
    String third = "exec \"$0\" call 3>&1 >/dev/null";
    ProcessBuilder builder =
        new ProcessBuilder("/bin/sh", "-c", third, root + "/repartee").redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(Map.of("PATH", bin.toString(), "JAVA_HOME", jdk.toString()));
    Process process = builder.start();
    try {
      String said = assertTimeoutPreemptively(
          Duration.ofSeconds(120),
          () -> new String(process.getInputStream().readAllBytes(), UTF_8));
      assertThat(said).startsWith("repartee: building");
    } finally {
      Files.delete(held);
    }
    awaitTheArchive();
  }

  @Test
  void failedBuildIsShownOnStderrAndTriedAgain() throws Exception {
    Path broken = Files.createFile(root.resolve("broken"));
    Said said = launch("call").await();
    assertThat(said.out).isEmpty();
    assertThat(said.err)
        .contains("[ERROR] built with " + jdk)
        .contains("repartee: the build failed; all of its output is in ");
    assertThat(said.exit).isEqualTo(2);

    Files.delete(broken);
    assertThat(launch("call").await().exit).isZero();
  }

  @Test
  void symbolicLinksLeadHome() throws Exception {
    Path other = Files.createDirectory(temp.resolve("other"));
    Path absolute = Files.createSymbolicLink(other.resolve("one"), root.resolve("repartee"));
    Path relative = Files.createSymbolicLink(temp.resolve("two"), Path.of("other", "one"));
    for (Path link : List.of(absolute, relative)) {
      assertThat(launch(other, Map.of(), link.toString(), "call").await().out)
          .contains(root + "/tools/cli/target/repartee-cli.jar");
    }
  }

  @Test
  void jvmOptionsComeLastAndLongRunningCommandsKeepTheDefaults() throws Exception {
    jdk = jdk("21.0.1");
    Map<String, String> options = Map.of("REPARTEE_OPTS", "-Xmx256m -Da=*");
    assertThat(launch(options, "call").await().out)
        .contains("-XX:TieredStopAtLevel=1\n-XX:+UseSerialGC\n-Xmx256m\n-Da=*\n-jar\n");
    assertThat(launch(options, "mcp", "tools").await().out).contains("-XX:TieredStopAtLevel=1\n");
    for (String[] serves : new String[][] {{"serve"}, {"mcp", "serve"}, {"mcp", "listen"}}) {
      assertThat(launch(options, serves).await().out)
          .contains("\n-Xmx256m\n-Da=*\n-jar\n")
          .doesNotContain("TieredStopAtLevel", "GC");
    }
    assertThat(launch(Map.of("REPARTEE_OPTS", "-XX:+UseG1GC"), "call").await().out)
        .doesNotContain("SerialGC");
  }

  @Test
  void anArchiveIsMadeOnceForABuildAndUsedFromThenOn() throws Exception {
    moveTo("a tree without colons");
    assertThat(launch("call").await().out).doesNotContain("SharedArchiveFile");
    Path archive = awaitTheArchive();
    assertThat(launch("call").await().out).contains("-XX:SharedArchiveFile=" + archive + "\n");
    assertThat(temp.resolve("rehearsals")).hasContent("17.0.9");

    build();
    assertThat(launch("call").await().out).doesNotContain("SharedArchiveFile");
    awaitTheArchive();
    assertThat(temp.resolve("rehearsals")).hasContent("17.0.9\n17.0.9");
  }

  @Test
  void eachJavaHasAnArchiveOfItsOwn() throws Exception {
    moveTo("a tree without colons");
    launch("call").await();
    awaitTheArchive();
    Path other = jdk("21.0.1");
    Map<String, String> environment = Map.of("JAVA_HOME", other.toString());
    assertThat(launch(environment, "call").await().out).doesNotContain("SharedArchiveFile");
    Path archive = awaitTheArchive(other, "21.0.1");
    assertThat(launch(environment, "call").await().out)
        .contains("-XX:SharedArchiveFile=" + archive + "\n");
  }

  @Test
  void anArchiveThatCannotBeMadeIsTriedOnceForABuild() throws Exception {
    moveTo("a tree without colons");
    Files.createFile(temp.resolve("no archives"));
    launch("call").await();
    assertThat(awaitTheArchive()).isEmptyFile();
    Said again = launch("call").await();
    assertThat(again.out).doesNotContain("SharedArchiveFile");
    assertThat(again.err).isEmpty();
    assertThat(temp.resolve("rehearsals")).hasContent("17.0.9");
  }

  @Test
  void anArchiveThatWasBegunAndNeverMadeIsMadeLater() throws Exception {
    moveTo("a tree without colons");
    launch("call").await();
    Path archive = awaitTheArchive();
    Files.delete(archive);
    launch("call").await();
    assertThat(temp.resolve("rehearsals")).hasContent("17.0.9");

    Path begun = archive.resolveSibling("17.0.9.jsa.begun");
    Files.setLastModifiedTime(begun, FileTime.from(Instant.now().minusSeconds(600)));
    Files.setLastModifiedTime(ready(), FileTime.from(Instant.now().minusSeconds(900)));
    launch("call").await();
    awaitTheArchive();
    assertThat(temp.resolve("rehearsals")).hasContent("17.0.9\n17.0.9");
  }

  @Test
  void thereIsNoArchiveWhereAPathHoldsAColon() throws Exception {
    launch("call").await();
    launch("call").await();
    assertThat(temp.resolve("rehearsals")).doesNotExist();
  }

  @Test
  void aPackageKeepsItsArchiveInTheCacheOfTheUser() throws Exception {
    makeAPackage();
    Path cache = temp.resolve("cache");
    Map<String, String> environment = Map.of("XDG_CACHE_HOME", cache.toString());
    assertThat(launch(environment, "call").await().out)
        .doesNotContain("SharedArchiveFile")
        .endsWith("-jar\n" + root + "/lib/repartee.jar\ncall\n");
    Path archives = cache.resolve("repartee/archives" + root);
    Path archive = Path.of(archives + jdk.toString(), "17.0.9.jsa");
    LauncherArchive.await(archive, archives.resolve("build"));
    Said second = launch(environment, "call").await();
    assertThat(second.out).contains("-XX:SharedArchiveFile=" + archive + "\n");
    assertThat(second.err).isEmpty();

    Files.writeString(root.resolve("lib/build"), "two\n");
    assertThat(launch(environment, "call").await().out).doesNotContain("SharedArchiveFile");
    LauncherArchive.await(archive, archives.resolve("build"));
    assertThat(temp.resolve("rehearsals")).hasContent("17.0.9\n17.0.9");
  }

  @Test
  void aPackageRunsWithoutACache() throws Exception {
    makeAPackage();
    Said said = launch("call").await();
    assertThat(said.out).endsWith("/lib/repartee.jar\ncall\n");
    assertThat(said.err).isEmpty();
    assertThat(temp.resolve("rehearsals")).doesNotExist();
  }

  /** Replaces the tree by an unpacked package with the same launcher, in {@code bin}. */
  private void makeAPackage() throws IOException {
    root = Files.createDirectory(temp.resolve("a package"));
    Files.createDirectory(root.resolve("bin"));
    Files.copy(
        Path.of(System.getProperty("repartee.root"), "repartee"), root.resolve("bin/repartee"));
    Files.createDirectory(root.resolve("lib"));
    Files.writeString(root.resolve("lib/build"), "one\n");
    launcher = root.resolve("bin/repartee");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-Xshare:off", "-XX:SharedArchiveFile=mine.jsa", "-XX:AOTCache=mine.aot"})
  void optionsOfTheUserForClassSharingPrevail(String option) throws Exception {
    moveTo("a tree without colons");
    Map<String, String> options = Map.of("REPARTEE_OPTS", option);
    launch(options, "call").await();
    assertThat(launch(options, "call").await().out).contains(option + "\n-jar\n");
    assertThat(temp.resolve("rehearsals")).doesNotExist();
  }

  @Test
  void oldJavaInJavaHomeGivesWayToTheOneOnThePath() throws Exception {
    Files.createSymbolicLink(bin.resolve("java"), Path.of("../jdk-21/bin/java"));
    jdk("21");
    assertThat(launch(Map.of("JAVA_HOME", jdk("11.0.2").toString()), "call").await().out)
        .startsWith("21\n");
  }

  @Test
  void missingOrOldJavaIsReportedInASentence() throws Exception {
    Said none = launch(Map.of("JAVA_HOME", ""), "call").await();
    assertThat(none.err)
        .isEqualTo("repartee: needs Java 17 or newer, but JAVA_HOME is not set,"
            + " and there is no java on the PATH.\n");
    assertThat(none.out).isEmpty();
    assertThat(none.exit).isEqualTo(2);

    Path java8 = jdk("1.8.0_292");
    assertThat(launch(Map.of("JAVA_HOME", java8.toString()), "call").await().err)
        .contains("JAVA_HOME, " + java8 + ", is Java 1.8.0_292");
  }

  @Test
  void javaBehindAShimIsAskedOnce() throws Exception {
    Path real = jdk("21");
    executable(bin.resolve("java"), """
        echo asked >>%1$s/asked
        echo '    java.home = %2$s' >&2
        echo '    java.version = 21' >&2
        """.formatted(temp, real));
    for (int i = 0; i < 3; i++) {
      assertThat(launch(Map.of("JAVA_HOME", ""), "call").await().out).startsWith("21\n");
    }
    assertThat(temp.resolve("asked")).hasContent("asked");
  }

  @Test
  void aLocaleThatIsNotInstalledGivesWayToUtf8WhereAWordIsNotAscii() throws Exception {
    launch("call").await();
    probe("found=\"$LANG, ${LC_ALL:-}\"");
    complainOfLocales();
    Map<String, String> missing = Map.of("LANG", "xx_XX.UTF-8");
    // Java can pass only characters of its locale to a child; printf can pass any byte.
    String accented = "exec \"$0\" call \"$(printf 'caf\\303\\251')\"";
    launch(temp, missing, "/bin/sh", "-c", accented, root + "/repartee").await();
    assertThat(temp.resolve("probed")).hasContent("xx_XX.UTF-8, C.UTF-8");
    launch(missing, "call", "cafe").await();
    assertThat(temp.resolve("probed")).hasContent("xx_XX.UTF-8, ");
  }

  @Test
  void aLocaleThatIsInstalledIsKept() throws Exception {
    launch("call").await();
    probe("found=\"$LANG, ${LC_ALL:-}\"");
    executable(bin.resolve("locale"), "echo ISO-8859-1\n");
    String accented = "exec \"$0\" call \"$(printf 'caf\\303\\251')\"";
    launch(temp, Map.of("LANG", "xx_XX"), "/bin/sh", "-c", accented, root + "/repartee")
        .await();
    assertThat(temp.resolve("probed")).hasContent("xx_XX, ");
  }

  /** Replaces Java by a script that writes its result to {@code probed}. */
  private void probe(String script) throws IOException {
    Files.writeString(temp.resolve("probe"), script + "\necho \"$found\" >'" + temp + "/probed'\n");
  }

  private void complainOfLocales() throws IOException {
    executable(bin.resolve("locale"), """
        echo 'locale: Cannot set LC_ALL to default locale: No such file or directory' >&2
        echo UTF-8
        """);
  }

  @ParameterizedTest
  @ValueSource(strings = {"<&-", ">&-", "2>&-", "<&- >&- 2>&-"})
  void noStandardStreamIsClosedForTheJvm(String closed) throws Exception {
    launch("call").await();
    probe("""
        found=
        for stream in 0 1 2; do
          [ ! -e /dev/fd/$stream ] || found=$found$stream
        done
        """);
    launch(temp, Map.of(), "/bin/sh", "-c", "exec \"$0\" call " + closed, root + "/repartee")
        .await();
    assertThat(temp.resolve("probed")).hasContent("012");
  }

  @Test
  void writingToAClosedOutputFails() throws Exception {
    launch("call").await();
    String closed = "exec \"$0\" call >&-";
    Said said =
        launch(temp, Map.of(), "/bin/sh", "-c", closed, root + "/repartee").await();
    assertThat(said.exit).isNotZero(); // the status of the last printf of the fake Java
  }

  private Path awaitTheArchive() throws Exception {
    return awaitTheArchive(jdk, "17.0.9");
  }

  private Path awaitTheArchive(Path home, String version) throws Exception {
    Path archive = root.resolve("tools/cli/target/archives" + home).resolve(version + ".jsa");
    LauncherArchive.await(archive, ready());
    return archive;
  }

  private Path ready() {
    return root.resolve("tools/cli/target/ready");
  }

  private void moveTo(String name) throws IOException {
    root = Files.move(root, temp.resolve(name));
    launcher = root.resolve("repartee");
  }

  /** Does the last step of a build. The file system sets the time, as for {@link ArchiveTest}. */
  private void build() throws IOException {
    Files.delete(ready());
    Files.createFile(ready());
  }

  private int builds() throws IOException {
    return Files.readAllLines(root.resolve("builds")).size();
  }

  private Path jdk(String version) throws IOException {
    Path home = Files.createDirectories(temp.resolve("jdk-" + version));
    Files.createDirectories(home.resolve("bin"));
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    executable(home.resolve("bin/java"), """
        case $1 in
          -XX:ArchiveClassesAtExit=*)
            echo %2$s >>%1$s/rehearsals
            [ ! -e '%1$s/no archives' ] || exit 1
            while [ -e '%1$s/held' ]; do sleep 0.1; done
            cat >"${1#*=}"
            exit ;;
        esac
        [ ! -e '%1$s/probe' ] || . '%1$s/probe'
        echo %2$s
        for a; do printf '%%s\\n' "$a"; done
        """.formatted(temp, version));
    executable(home.resolve("bin/javac"), "exit 1\n");
    return home;
  }

  private static void executable(Path file, String script) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + script);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private void provide(String tool) throws IOException {
    String found = Files.exists(Path.of("/bin", tool)) ? "/bin/" : "/usr/bin/";
    executable(bin.resolve(tool), "exec " + found + tool + " \"$@\"\n");
  }

  private Running launch(String... args) throws IOException {
    return launch(Map.of(), args);
  }

  private Running launch(Map<String, String> environment, String... args) throws IOException {
    List<String> command = new ArrayList<>(List.of(launcher.toString()));
    command.addAll(List.of(args));
    return launch(temp, environment, command.toArray(String[]::new));
  }

  private Running launch(Path folder, Map<String, String> environment, String... command)
      throws IOException {
    Path out = Files.createTempFile(temp, "out", "");
    Path err = Files.createTempFile(temp, "err", "");
    ProcessBuilder builder = new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectOutput(out.toFile())
        .redirectError(err.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", bin.toString());
    builder.environment().put("JAVA_HOME", jdk.toString());
    builder.environment().putAll(environment);
    return new Running(builder.start(), out, err);
  }

  private record Running(Process process, Path out, Path err) {
    Said await() throws Exception {
      int exit = process.waitFor();
      return new Said(exit, Files.readString(out, UTF_8), Files.readString(err, UTF_8));
    }
  }

  private record Said(int exit, String out, String err) {}
}

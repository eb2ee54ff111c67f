package dev.repartee.build;

import static java.io.File.pathSeparator;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JacksonAnnotation;
import dev.repartee.jackson.JacksonBinder;
import dev.repartee.json.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Compiles and runs a module of a user on the module path; all other tests run on the class path.
 */
class ModulePathTest {
  private static final Path SOURCES =
      Path.of(System.getProperty("repartee.root"), "build", "tests", "src", "test", "jpms");

  private static final int PATIENCE_SECONDS = 60;

  @TempDir
  Path classes;

  @Test
  void aModuleServesAndCallsTypesThatItDoesNotExport() throws Exception {
    assertThat(run("tcp://127.0.0.1:0", "mem:inn"))
        .startsWith(
            "tcp Stay[from=2024-02-29, nights=2] 2024-03-02 {\"from\":\"2025-01-01\",\"nights\":1}")
        .contains(
            "mem Stay[from=2024-02-29, nights=2] 2024-03-02 {\"from\":\"2025-01-01\",\"nights\":1}");
  }

  @Test
  void transportsAndBindersComeFromModules() throws Exception {
    assertThat(run("twin:inn")).startsWith("mem Stay[from=2024-02-29, nights=2]");
  }

  @Test
  void anErrorAsksToOpenAClosedPackage() throws Exception {
    String remedy =
        " cannot be called from the module dev.repartee: make it and its class public and"
            + " export the package, or declare 'opens consumer.shut to dev.repartee'";
    String refused = ": java.lang.IllegalArgumentException: ";
    String shut = "consumer.shut.Shut$";
    assertThat(run().lines())
        .containsExactly(
            "service" + refused + shut + "Desk.price: it" + remedy,
            "written" + refused + "the constructor of " + shut + "Point" + remedy,
            "read" + refused + "the constructor of " + shut + "Point" + remedy,
            "proxy: Ada",
            "default" + refused + shut + "WithDefault.price" + remedy);
  }

  private String run(String... uris) throws Exception {
    String core = location(Json.class);
    compile(path(core, location(NullMarked.class)));
    // Without the annotations, which core requires only to compile.
    return java(path(core, classes.toString()), "consumer.Main", uris);
  }

  @Test
  void bindersAreFoundOnTheModulePath() throws Exception {
    compile(path(location(Json.class), location(NullMarked.class)));
    String jackson = path(
        location(JacksonBinder.class),
        location(JsonMapper.class),
        location(JacksonException.class),
        location(JacksonAnnotation.class));
    String modules = path(location(Json.class), jackson, classes.toString());
    assertThat(java(modules, "consumer.Week", "MONDAY").lines())
        .containsExactly("\"MONDAY\"", "{\"type\":\"string\",\"format\":\"uri\"}");
  }

  private void compile(String modulePath) throws IOException {
    List<String> args = new ArrayList<>(
        List.of("--release", "17", "-Xlint:all", "-Werror", "-parameters", "-proc:none"));
    args.addAll(List.of("--module-path", modulePath, "--class-path", classes.toString()));
    args.addAll(List.of("-d", classes.toString()));
    try (Stream<Path> files = Files.find(SOURCES, 9, (f, a) -> f.toString().endsWith(".java"))) {
      files.map(Path::toString).forEach(args::add);
    }
    StringWriter said = new StringWriter();
    PrintWriter out = new PrintWriter(said);
    int exit =
        ToolProvider.findFirst("javac").orElseThrow().run(out, out, args.toArray(String[]::new));
    assertThat(exit).as(said.toString()).isZero();
  }

  private static String java(String modulePath, String main, String... args) throws Exception {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    List<String> command = new ArrayList<>(List.of(
        java.toString(), "-XX:TieredStopAtLevel=1", "-p", modulePath, "-m", "consumer/" + main));
    command.addAll(List.of(args));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as(said).isTrue();
      assertThat(process.exitValue()).as(said).isZero();
      return said;
    } finally {
      process.destroyForcibly();
    }
  }

  private static String location(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
        .toString();
  }

  private static String path(String... entries) {
    return String.join(pathSeparator, entries);
  }
}

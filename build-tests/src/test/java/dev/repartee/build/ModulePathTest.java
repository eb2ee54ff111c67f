package dev.repartee.build;

import static java.io.File.pathSeparator;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JacksonAnnotation;
import dev.repartee.Json;
import dev.repartee.jackson.JacksonBinder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Tests run on the class path; here a module of a user's compiles and runs on the module path. */
class ModulePathTest {
  private static final Path SOURCES =
      Path.of(System.getProperty("repartee.root"), "build-tests", "src", "test", "jpms");

  @TempDir
  Path classes;

  @Test
  void modularProgramCompilesAndRuns() throws Exception {
    String core = location(Json.class);
    String annotations = location(NullMarked.class);

    compile(path(core, annotations));
    // Without the annotations, which core requires only to compile.
    assertThat(run(path(core, classes.toString()), "consumer/consumer.Main")).isEqualTo("[1,2]\n");
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
    assertThat(run(modules, "consumer/consumer.Main", "MONDAY")).isEqualTo("\"MONDAY\"\n");
  }

  private void compile(String modulePath) throws IOException {
    List<String> args = new ArrayList<>(List.of("--release", "17", "-Xlint:all", "-Werror"));
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

  private static String run(String modulePath, String main, String... args) throws Exception {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    List<String> command =
        new ArrayList<>(List.of(java.toString(), "--module-path", modulePath, "--module", main));
    command.addAll(List.of(args));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  private static String location(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
        .toString();
  }

  private static String path(String... entries) {
    return String.join(pathSeparator, entries);
  }
}

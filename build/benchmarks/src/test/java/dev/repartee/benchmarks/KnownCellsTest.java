package dev.repartee.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.process.Checkout;
import dev.repartee.benchmarks.process.Jvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("ci")
class KnownCellsTest {
  private static final Cell OLD = cell("repartee@other", new Shape(32, 16));
  private static final Cell LATER_SHAPE = cell("repartee@this", new Shape(32, 1, 10_000));
  private static final Cell LATER = cell("repartee-later@this", new Shape(32, 16));

  @TempDir
  Path folder;

  @BeforeEach
  void build() throws IOException {
    for (String module : List.of("core", "netty", "build/benchmarks", "protocols/mcp")) {
      Files.createDirectories(folder.resolve(module).resolve("target/classes"));
    }
  }

  @Test
  void anOlderBuildIsAskedForItsCells() throws Exception {
    benchmarks("if (args[0].equals(\"--list\")) System.out.println(\"subtract/32x16/repartee\");");
    KnownCells known = ask();
    assertThat(known.contains(OLD)).isTrue();
    assertThat(known.contains(LATER)).isFalse();
    assertThat(known.contains(LATER_SHAPE)).isFalse();
  }

  @Test
  void aBuildThatFailsToListItsCellsIsRefused() throws Exception {
    benchmarks("System.out.println(\"subtract/32x16/repartee\"); System.exit(2);");
    assertThatThrownBy(this::ask)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("does not list its cells; see " + folder.resolve("log"));
  }

  @Test
  void aMissingContestantIsNamedOnceAndAMissingCellOfAnotherWithItsShape() {
    KnownCells known = new KnownCells(Set.of("subtract/32x16/repartee"));
    Cell again = cell("repartee-later@other", new Shape(1, 1));
    List<String> missing = known.missing(List.of(OLD, LATER, again, LATER_SHAPE));
    assertThat(missing).containsExactly("repartee-later", "subtract/32x1of10000/repartee");
    assertThat(Comparison.text(new Figures(), missing, "a machine"))
        .contains("Left out, since the other build does not know them: "
            + "repartee-later, subtract/32x1of10000/repartee.");
  }

  @Test
  void aBuildRunsItsOwnModulesAndOurLibraries() {
    String ours = "/x/core/target/classes" + File.pathSeparator + "/x/protocols/mcp/target/classes"
        + File.pathSeparator + "/x/later/target/classes" + File.pathSeparator + "/m2/library.jar";
    Jvm jvm = new Jvm(Path.of("/jdk"), 17, ours);
    assertThat(jvm.with(new Checkout(folder)).classPath().split(File.pathSeparator))
        .containsExactly(
            folder + "/core/target/classes",
            folder + "/protocols/mcp/target/classes",
            "/x/later/target/classes",
            "/m2/library.jar");
  }

  private KnownCells ask() throws IOException {
    Jvm jvm = Jvm.of(Path.of(System.getProperty("java.home")));
    return KnownCells.of(jvm.with(new Checkout(folder)), folder, folder.resolve("log"));
  }

  /** Compiles benchmarks of another build, with that command. */
  private void benchmarks(String statements) throws IOException {
    Path source = Files.writeString(
        folder.resolve("Main.java"),
        "package dev.repartee.benchmarks; public class Main {"
            + " public static void main(String[] args) {" + statements + "} }");
    Path classes = folder.resolve("build/benchmarks/target/classes");
    int failed = ToolProvider.getSystemJavaCompiler()
        .run(null, null, null, "-d", classes.toString(), source.toString());
    assertThat(failed).isZero();
  }

  private static Cell cell(String entrant, Shape shape) {
    return new Cell(entrant, Workload.SUBTRACT, shape);
  }
}

package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.RpcMethod;
import dev.repartee.Service;
import dev.repartee.cli.options.ServedClass;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServedClassTest {
  private final Captured captured = new Captured("");
  private final ClassLoader before = Thread.currentThread().getContextClassLoader();

  @AfterEach
  void restore() {
    Thread.currentThread().setContextClassLoader(before);
  }

  /** A class that fails in its constructor. */
  public static final class Failing {
    public Failing() {
      throw new IllegalStateException("no shop today");
    }

    public int price() {
      return 1;
    }
  }

  /** A class without a constructor that takes no parameters. */
  public static final class Demanding {
    public Demanding(int capital) {}

    public int price() {
      return 1;
    }
  }

  private Service serve(String name, String classPath) {
    ServedClass served = new ServedClass();
    served.name = name;
    served.classPath = classPath;
    return served.service(captured.stdio());
  }

  private void refused(String sentence, String name, String classPath) {
    assertThatThrownBy(() -> serve(name, classPath))
        .isInstanceOfSatisfying(Failure.class, e -> assertThat(e.exit()).isEqualTo(Exit.USAGE))
        .hasMessageContaining(sentence);
  }

  @Test
  void aClassOfFoldersOutsideIsServed(@TempDir Path folder) throws Exception {
    Path source = folder.resolve("Shop.java");
    Files.write(
        source,
        "package a; class Shop { public Shop() {} public int price(int n) { return 3 * n; } }"
            .getBytes(UTF_8));
    Path classes = Files.createDirectory(folder.resolve("classes"));
    int compiled = ToolProvider.getSystemJavaCompiler()
        .run(null, null, null, "-d", classes.toString(), source.toString());
    assertThat(compiled).isZero();
    Service service =
        Objects.requireNonNull(serve("a.Shop", folder + File.pathSeparator + classes));
    assertThat(service.methods()).extracting(RpcMethod::name).containsExactly("price");
  }

  @Test
  void eachMethodThatIsLeftOutIsReportedOnALine() {
    serve("java.lang.Math", null);
    assertThat(captured.err().lines())
        .contains("repartee: not served: absExact (overloaded: absExact(int), absExact(long))")
        .allMatch(line -> line.startsWith("repartee: not served: "));
  }

  @Test
  void aClassThatCannotBeServedIsRefusedWithTheRemedy(@TempDir Path folder) {
    refused("--classpath", "a.Nowhere", null);
    refused("in '" + folder + "'", "a.Nowhere", folder.toString());
    refused("'no/such.jar', which cannot be read", "a.Nowhere", "no/such.jar");
    refused("name the class with --class", null, "lib.jar");
    refused("no shop today", Failing.class.getName(), null);
    refused("a public constructor without parameters", Demanding.class.getName(), null);
    refused("whose types have a JSON form", "java.lang.Object", null);
  }

  @Test
  void aClassWithoutItsDependenciesIsRefused(@TempDir Path folder) throws Exception {
    Path source = folder.resolve("Shop.java");
    Files.write(
        source,
        "public class Shop { public Money price() { return null; } }\nclass Money {}"
            .getBytes(UTF_8));
    ToolProvider.getSystemJavaCompiler()
        .run(null, null, null, "-d", folder.toString(), source.toString());
    Files.delete(folder.resolve("Money.class"));
    refused("must be on the --classpath too", "Shop", folder.toString());
  }
}

package dev.repartee.openrpc.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles generated Java in the process, with core alone on the class path. */
final class JavaSources {
  private JavaSources() {}

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String path, String text) {
      super(URI.create("string:///" + path.replaceAll("[^A-Za-z0-9_/.]", "x")), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }

    @Override
    public boolean isNameCompatible(String simpleName, Kind kind) {
      return !simpleName.endsWith("-info"); // names of files are no part of these tests
    }
  }

  /**
   * Compiles sources without warnings, and returns the loader of their classes.
   *
   * @param sources the text by path
   * @param classes the folder for the classes
   */
  static ClassLoader compile(Map<String, String> sources, Path classes) throws IOException {
    List<Source> files = sources.entrySet().stream()
        .map(each -> new Source(each.getKey(), each.getValue()))
        .toList();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    Path core =
        Path.of(Json.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    List<String> options = List.of(
        "--release",
        "17",
        "-Xlint:all",
        "-Werror",
        "-proc:none",
        "-cp",
        core.toString(),
        "-d",
        classes.toString());
    boolean compiled = compiler.getTask(null, null, found, options, null, files).call();
    assertThat(found.getDiagnostics()).isEmpty();
    assertThat(compiled).isTrue();
    return new URLClassLoader(new URL[] {classes.toUri().toURL()}, Json.class.getClassLoader());
  }
}

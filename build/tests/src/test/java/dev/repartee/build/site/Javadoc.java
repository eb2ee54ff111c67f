package dev.repartee.build.site;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.FindException;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs the Javadoc tool once over all modules that export packages, for the {@link Site}. */
final class Javadoc {
  private static final Pattern MODULE = Pattern.compile("module ([\\w.]+) \\{");
  private static final Pattern REQUIRES =
      Pattern.compile("requires (?:static |transitive )*([\\w.]+);");

  private Javadoc() {}

  /**
   * Writes the Javadoc of the repository {@code root} to a folder.
   *
   * @param classPath has the libraries that the modules require
   * @throws IOException if the Javadoc tool fails; the message has its output
   */
  static void write(Path root, Path folder, String classPath) throws IOException {
    Map<String, String> sources = new TreeMap<>();
    Set<String> required = new TreeSet<>();
    for (Path descriptor : descriptors(root)) {
      String text = Files.readString(descriptor);
      Matcher module = MODULE.matcher(text);
      if (module.find() && text.contains("exports ")) {
        sources.put(module.group(1), sources(descriptor.getParent()));
        REQUIRES.matcher(text).results().map((MatchResult r) -> r.group(1)).forEach(required::add);
      }
    }
    List<String> args = new ArrayList<>(
        List.of("-quiet", "-Xdoclint:none", "-notimestamp", "-d", folder.toString()));
    args.addAll(List.of("-windowtitle", "Repartee", "-doctitle", "Repartee"));
    args.addAll(List.of("-header", "<a href=\"{@docRoot}/../index.html\">Guides</a>"));
    args.addAll(List.of("--add-stylesheet", styles()));
    args.addAll(List.of("--module-path", libraries(required, classPath)));
    sources.forEach(
        (module, source) -> args.addAll(List.of("--module-source-path", module + "=" + source)));
    args.addAll(List.of("--module", String.join(",", sources.keySet())));
    StringWriter output = new StringWriter();
    PrintWriter lines = new PrintWriter(output);
    int status = ToolProvider.findFirst("javadoc")
        .orElseThrow()
        .run(lines, lines, args.toArray(new String[0]));
    if (status != 0) {
      throw new IOException("javadoc ended with status " + status + ":\n" + output);
    }
  }

  /** Returns the style sheet with the colours of the site. */
  private static String styles() {
    URL file = Objects.requireNonNull(Javadoc.class.getResource("/site/javadoc.css"));
    return Path.of(URI.create(file.toString())).toString();
  }

  /** Returns the folders with the sources of a module: its own one, and those that the build generates. */
  private static String sources(Path folder) throws IOException {
    List<Path> folders = new ArrayList<>(List.of(folder));
    Path generated = folder.resolve("../../../target/generated-sources").normalize();
    if (Files.isDirectory(generated)) {
      try (Stream<Path> each = Files.list(generated)) {
        each.filter(one -> !one.endsWith("annotations")).sorted().forEach(folders::add);
      }
    }
    return folders.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }

  private static List<Path> descriptors(Path root) throws IOException {
    try (Stream<Path> files = Files.find(
        root, 6, (file, attributes) -> file.endsWith("src/main/java/module-info.java"))) {
      return files.sorted().toList();
    }
  }

  /**
   * Returns the jars of these modules and of those that they require. Further jars would do harm: if
   * one module has no descriptor, all others without one are resolved, too.
   */
  private static String libraries(Set<String> modules, String classPath) {
    Map<String, ModuleReference> present = new HashMap<>();
    for (String entry : classPath.split(File.pathSeparator)) {
      try {
        ModuleFinder.of(Path.of(entry))
            .findAll()
            .forEach(module -> present.putIfAbsent(module.descriptor().name(), module));
      } catch (FindException e) {
        // The jar is not a module; none of our modules requires it.
      }
    }
    Set<ModuleReference> found = new HashSet<>();
    Deque<String> due = new ArrayDeque<>(modules);
    while (!due.isEmpty()) {
      ModuleReference module = present.get(due.remove());
      if (module != null
          && !module.descriptor().name().startsWith("dev.repartee")
          && found.add(module)) {
        module.descriptor().requires().stream().map(Requires::name).forEach(due::add);
      }
    }
    return found.stream()
        .map(module -> Path.of(module.location().orElseThrow()).toString())
        .sorted()
        .collect(Collectors.joining(File.pathSeparator));
  }
}

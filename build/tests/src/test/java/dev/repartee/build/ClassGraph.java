package dev.repartee.build;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Prints the structure of the classes of a module: the packages with their numbers of types, the arrows
 * between packages, and the cycles of packages and of types. Nested types count as their outermost type.
 *
 * <p>Usage: {@code java ClassGraph.java FOLDER}, where the folder holds class files.
 */
public final class ClassGraph {
  private final Map<String, Set<String>> uses = new TreeMap<>();

  private ClassGraph() {}

  /** Prints the graph of the class files below the folder that is the argument. */
  public static void main(String[] args) throws Exception {
    if (args.length != 1 || !Files.isDirectory(Path.of(args[0]))) {
      System.err.println("usage: java ClassGraph.java FOLDER    e.g. core/target/classes");
      System.exit(2);
    }
    Path classes = Path.of(args[0]);
    ClassGraph graph = new ClassGraph();
    graph.read(classes);
    graph.print(publicTypes(classes));
  }

  /** Has jdeps read the class files; it prints lines such as "   a.B  -> c.D$E  not found". */
  private void read(Path classes) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("-verbose:class", "-filter:none"));
    try (Stream<Path> files = Files.walk(classes)) {
      // One by one: a folder with a module-info would have all modules that it requires resolved.
      files
          .map(Path::toString)
          .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
          .forEach(arguments::add);
    }
    StringWriter out = new StringWriter();
    ToolProvider.findFirst("jdeps")
        .orElseThrow(() -> new IllegalStateException("no jdeps: use a JDK, not a JRE"))
        .run(new PrintWriter(out), new PrintWriter(System.err), arguments.toArray(String[]::new));
    for (String line : out.toString().lines().toList()) {
      String[] words = line.strip().split("\\s+");
      if (line.startsWith("   ") && words[1].equals("->")) {
        uses.computeIfAbsent(outermost(words[0]), name -> new TreeSet<>()).add(outermost(words[2]));
      }
    }
    uses.forEach((type, used) -> {
      used.retainAll(uses.keySet());
      used.remove(type);
    });
  }

  private static String outermost(String type) {
    int nested = type.indexOf('$');
    return nested < 0 ? type : type.substring(0, nested);
  }

  private static String packageOf(String type) {
    return type.substring(0, type.lastIndexOf('.'));
  }

  private static Set<String> publicTypes(Path classes) throws Exception {
    Set<String> found = new TreeSet<>();
    try (Stream<Path> files = Files.walk(classes);
        URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
      for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
        String name = classes.relativize(file).toString().replace('/', '.').replace(".class", "");
        if (!name.contains("$") && !name.endsWith("-info")) {
          try {
            if (Modifier.isPublic(Class.forName(name, false, loader).getModifiers())) {
              found.add(name);
            }
          } catch (LinkageError e) {
            // A library that it extends is not on the class path; such a type is counted as hidden.
          }
        }
      }
    }
    return found;
  }

  private void print(Set<String> publicTypes) {
    Map<String, List<String>> packages = uses.keySet().stream()
        .collect(Collectors.groupingBy(ClassGraph::packageOf, TreeMap::new, Collectors.toList()));
    Map<String, Set<String>> arrows = new TreeMap<>();
    uses.forEach((type, used) -> {
      Set<String> to = arrows.computeIfAbsent(packageOf(type), name -> new TreeSet<>());
      used.stream().map(ClassGraph::packageOf).forEach(to::add);
      to.remove(packageOf(type));
    });
    packages.forEach((name, types) -> {
      long open = types.stream().filter(publicTypes::contains).count();
      System.out.printf(
          "%s: %d types, %d public; uses %s%n", name, types.size(), open, arrows.get(name));
    });
    int edges = uses.values().stream().mapToInt(Set::size).sum();
    System.out.printf("%d types, %d arrows between them%n", uses.size(), edges);
    System.out.println("cycles of packages: " + cycles(arrows));
    List<List<String>> cycles = cycles(uses);
    System.out.println(
        "cycles of types, largest first: " + cycles.stream().map(List::size).toList());
    if (!cycles.isEmpty()) {
      System.out.println("the largest: "
          + cycles.get(0).stream()
              .map(type -> type.substring(type.lastIndexOf('.') + 1))
              .toList());
    }
  }

  /** Returns the strongly connected components of more than one node, the largest first. */
  private static List<List<String>> cycles(Map<String, Set<String>> graph) {
    List<List<String>> found = new ArrayList<>();
    Map<String, Integer> order = new HashMap<>();
    Map<String, Integer> low = new HashMap<>();
    Deque<String> path = new ArrayDeque<>();
    for (String node : graph.keySet()) {
      if (!order.containsKey(node)) {
        visit(node, graph, order, low, path, found);
      }
    }
    found.sort(Comparator.<List<String>>comparingInt(Collection::size).reversed());
    return found;
  }

  /** Tarjan's algorithm; a component is complete when its first node is left. */
  private static void visit(
      String node,
      Map<String, Set<String>> graph,
      Map<String, Integer> order,
      Map<String, Integer> low,
      Deque<String> path,
      List<List<String>> found) {
    int number = order.size();
    order.put(node, number);
    low.put(node, number);
    path.push(node);
    for (String next : graph.getOrDefault(node, Set.of())) {
      if (!order.containsKey(next)) {
        visit(next, graph, order, low, path, found);
        low.merge(node, low.get(next), Math::min);
      } else if (path.contains(next)) {
        low.merge(node, order.get(next), Math::min);
      }
    }
    if (low.get(node) == number) {
      List<String> component = new ArrayList<>();
      String each;
      do {
        each = path.pop();
        component.add(each);
      } while (!each.equals(node));
      if (component.size() > 1) {
        component.sort(Comparator.naturalOrder());
        found.add(component);
      }
    }
  }
}

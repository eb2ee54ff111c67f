package dev.repartee.benchmarks.process;

import static java.util.stream.Collectors.joining;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The commands that start the processes: all with the same settings, each on one CPU.
 *
 * @param home the folder of the JDK
 * @param feature its version, such as 17 or 25
 * @param classPath the class path of the processes
 */
public record Jvm(Path home, int feature, String classPath) {
  /** The memory options of all processes. */
  public static final List<String> MEMORY = List.of("-XX:+UseSerialGC", "-Xms512m", "-Xmx512m");

  private static final List<String> LITTLE_MEMORY =
      List.of("-XX:+UseSerialGC", "-Xmx256m", "-XX:+ExitOnOutOfMemoryError");

  private static final int SERVER_CPU = 0;
  private static final int CLIENT_CPU = 1;
  private static final int NATIVE_ACCESS = 24;

  /** Returns the JDK in that folder, with the class path of this process. */
  public static Jvm of(Path home) {
    return new Jvm(home, featureOf(home), System.getProperty("java.class.path"));
  }

  /** Returns this JVM with Repartee's classes from another checkout. */
  public Jvm with(Checkout checkout) {
    return new Jvm(home, feature, checkout.replaceIn(classPath));
  }

  /** Returns this JVM with only those class path entries, like an application with one library. */
  public Jvm only(String pattern) {
    String path = Stream.of(classPath.split(File.pathSeparator))
        .filter(entry -> entry.matches(pattern))
        .collect(joining(File.pathSeparator));
    return new Jvm(home, feature, path);
  }

  /** Returns the path of the command {@code java}. */
  public String java() {
    return home.resolve("bin/java").toString();
  }

  /** Returns the JVM of this process. */
  public static Jvm own() {
    return of(Path.of(System.getProperty("java.home")));
  }

  /** Returns the command of a process that may use all CPUs. */
  public List<String> unpinned(List<String> options, Class<?> main, String... words) {
    List<String> command = new ArrayList<>(List.of(java()));
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, main.getName()));
    command.addAll(List.of(words));
    return command;
  }

  /** Returns the command of a server. */
  public List<String> server(Class<?> main, String... words) {
    return command(SERVER_CPU, MEMORY, main, words);
  }

  /** Returns the command of a server with little memory. */
  public List<String> smallServer(Class<?> main, String... words) {
    return command(SERVER_CPU, LITTLE_MEMORY, main, words);
  }

  /** Returns the command of a client. */
  public List<String> client(Class<?> main, String... words) {
    return command(CLIENT_CPU, MEMORY, main, words);
  }

  /** Returns the command of a client at the lowest priority. */
  public List<String> niceClient(Class<?> main, String... words) {
    List<String> command = client(main, words);
    if (pins()) {
      command.addAll(0, List.of("nice", "-n", "19"));
    }
    return command;
  }

  private List<String> command(int cpu, List<String> memory, Class<?> main, String... words) {
    List<String> command = new ArrayList<>();
    if (pins()) {
      command.addAll(List.of("taskset", "-c", Integer.toString(cpu)));
    }
    List<String> options = new ArrayList<>(memory);
    if (feature >= NATIVE_ACCESS) {
      // Suppresses warnings on Netty's natives and on the Unsafe of its shaded copy.
      options.add("--enable-native-access=ALL-UNNAMED");
      options.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.addAll(unpinned(options, main, words));
    return command;
  }

  /** Returns whether server and client are pinned to different CPUs. */
  public static boolean pins() {
    return Runtime.getRuntime().availableProcessors() > 1
        && Files.isExecutable(Path.of("/usr/bin/taskset"));
  }

  private static int featureOf(Path home) {
    return SystemFile.value(home.resolve("release"), "JAVA_VERSION=")
        .map(quoted -> Runtime.Version.parse(quoted.replace("\"", "")).feature())
        .orElseThrow(() -> new IllegalArgumentException("there is no JDK in " + home));
  }
}

package dev.repartee.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How the processes are started: all alike, each on one CPU.
 *
 * @param home the JDK
 * @param feature its version: 17, 25
 * @param classPath what it runs
 */
record Jvm(Path home, int feature, String classPath) {
  /** What all get alike. */
  static final List<String> MEMORY = List.of("-XX:+UseSerialGC", "-Xms512m", "-Xmx512m");

  private static final List<String> LITTLE_MEMORY =
      List.of("-XX:+UseSerialGC", "-Xmx256m", "-XX:+ExitOnOutOfMemoryError");

  private static final int SERVER_CPU = 0;
  private static final int CLIENT_CPU = 1;
  private static final int NATIVE_ACCESS = 24;

  /** The class path of this process, on the JDK in that folder. */
  static Jvm of(Path home) {
    return new Jvm(home, featureOf(home), System.getProperty("java.class.path"));
  }

  /** The same with Repartee's own classes from another checkout. */
  Jvm with(Checkout checkout) {
    return new Jvm(home, feature, checkout.replaceIn(classPath));
  }

  /** The command. */
  String java() {
    return home.resolve("bin/java").toString();
  }

  List<String> server(String... words) {
    return command(SERVER_CPU, ServerMain.class, words);
  }

  List<String> client() {
    return command(CLIENT_CPU, ClientMain.class);
  }

  /** What calls that address of Repartee; see {@link CallerMain}. */
  List<String> caller(String address) {
    return command(CLIENT_CPU, CallerMain.class, address);
  }

  /** A server to attack, with little memory. */
  List<String> victim(String uri) {
    return command(SERVER_CPU, LITTLE_MEMORY, VictimMain.class, uri);
  }

  /** Who calls that server. */
  List<String> neighbour() {
    return command(CLIENT_CPU, NeighbourMain.class);
  }

  /** Who attacks it, and lets everybody else go first. */
  List<String> attacker() {
    List<String> command = command(CLIENT_CPU, AttackerMain.class);
    if (pins()) {
      command.addAll(0, List.of("nice", "-n", "19"));
    }
    return command;
  }

  private List<String> command(int cpu, Class<?> main, String... words) {
    return command(cpu, MEMORY, main, words);
  }

  private List<String> command(int cpu, List<String> memory, Class<?> main, String... words) {
    List<String> command = new ArrayList<>();
    if (pins()) {
      command.addAll(List.of("taskset", "-c", Integer.toString(cpu)));
    }
    command.add(java());
    command.addAll(memory);
    if (feature >= NATIVE_ACCESS) {
      // Netty's natives, and the Unsafe of its shaded copy, without a warning.
      command.add("--enable-native-access=ALL-UNNAMED");
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.addAll(List.of("-cp", classPath, main.getName()));
    command.addAll(List.of(words));
    return command;
  }

  /** Whether each process has a CPU of its own. */
  static boolean pins() {
    return Runtime.getRuntime().availableProcessors() > 1
        && Files.isExecutable(Path.of("/usr/bin/taskset"));
  }

  private static int featureOf(Path home) {
    try {
      for (String line : Files.readAllLines(home.resolve("release"))) {
        if (line.startsWith("JAVA_VERSION=")) {
          return Runtime.Version.parse(line.substring(14, line.length() - 1)).feature();
        }
      }
    } catch (java.io.IOException e) {
      throw new IllegalArgumentException("there is no JDK in " + home, e);
    }
    throw new IllegalArgumentException(home.resolve("release") + " does not tell the version");
  }
}

package dev.repartee.build;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A bash that runs the commands of one page in a folder that looks like the checkout. It has its
 * own loopback network, where all ports of a page are free, and its own space of processes, which
 * all end with it. This needs Linux, and root or user namespaces.
 */
final class PageShell implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 900;

  private final Path folder;
  private final Path output;
  private final Process bash;
  private final Writer commands;
  private final BufferedReader codes;

  /**
   * Starts a shell.
   *
   * @param folder an empty folder
   * @param programs folders that come first on the path
   */
  PageShell(Path root, Path folder, List<Path> programs) throws IOException {
    this.folder = folder;
    try (Stream<Path> entries = Files.list(root)) {
      for (Path entry : entries.toList()) {
        if (!entry.endsWith("target") && !entry.getFileName().toString().startsWith(".")) {
          Files.createSymbolicLink(folder.resolve(entry.getFileName()), entry);
        }
      }
    }
    for (Path each : programs) {
      if (each.endsWith("node_modules/.bin")) { // where npx looks first
        Files.createSymbolicLink(folder.resolve("node_modules"), each.getParent());
      }
    }
    Path home = Files.createDirectory(folder.resolve("home"));
    output = Files.createFile(home.resolve("output"));
    ProcessBuilder builder = new ProcessBuilder(isolated("bash", "--norc"))
        .directory(folder.toFile())
        .redirectError(output.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("REPARTEE_"));
    environment.put("REPARTEE_OPTS", "-XX:TieredStopAtLevel=1"); // the JVMs live for seconds
    environment.put("HOME", home.toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    List<String> path = new ArrayList<>(programs.stream().map(Path::toString).toList());
    path.addAll(List.of(folder.toString(), System.getProperty("java.home") + "/bin"));
    path.addAll(List.of(System.getenv("PATH"), "/usr/sbin"));
    environment.put("PATH", String.join(":", path));
    bash = builder.start();
    commands = bash.outputWriter(UTF_8);
    codes = bash.inputReader(UTF_8);
    CompletableFuture.delayedExecutor(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .execute(bash::destroyForcibly);
  }

  /** Returns whether this machine allows such a shell. */
  static boolean isPossible() throws InterruptedException {
    try {
      return new ProcessBuilder(isolated("ip", "link", "set", "lo", "up"))
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) { // there is no such program
      return false;
    }
  }

  private static List<String> isolated(String... command) {
    boolean isRoot = System.getProperty("user.name").equals("root");
    List<String> all = new ArrayList<>(List.of("unshare", "--net", "--pid", "--mount-proc"));
    all.addAll(List.of("--fork", "--kill-child", isRoot ? "--mount" : "--map-root-user"));
    all.addAll(List.of(command));
    return all;
  }

  /**
   * Runs a command to its end, in the variables and the folder that the one before left.
   *
   * @return its exit code
   */
  int run(String command) throws IOException {
    commands.write("eval " + quoted(command) + " >>" + output + " 2>&1 </dev/null; echo $?\n");
    commands.flush();
    String code = codes.readLine();
    if (code == null) {
      throw new IOException("no answer in " + PATIENCE_SECONDS + " s: " + command + printed());
    }
    return Integer.parseInt(code);
  }

  /** Returns text as a word of bash. */
  static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }

  /** Returns what the commands have printed, and those that still run in the background. */
  String printed() throws IOException {
    return new String(Files.readAllBytes(output), UTF_8); // the last character may be incomplete
  }

  /** Ends all processes of the page, and removes the links to the checkout. */
  @Override
  public void close() throws IOException {
    commands.close(); // at the end of its input bash ends, and the kernel ends all others
    bash.onExit().join();
    try (Stream<Path> entries = Files.list(folder)) {
      for (Path link : entries.filter(Files::isSymbolicLink).toList()) {
        Files.delete(link);
      }
    }
  }
}

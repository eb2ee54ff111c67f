package dev.repartee.benchmarks.startup;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.benchmarks.load.Turns;
import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.process.Libraries;
import dev.repartee.benchmarks.report.Chart;
import dev.repartee.benchmarks.report.Goal;
import dev.repartee.benchmarks.report.Section;
import dev.repartee.benchmarks.report.Statistics;
import dev.repartee.benchmarks.report.Text;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Measures the time from the start of a process to its first answer, in comparison with
 * {@code java -version} of the same JDK. The programs take turns; each start is a new process.
 */
public final class StartUp {
  private static final String NODE_LIBRARY = "vscode-jsonrpc@10.0.0";
  private static final String MCP_LIBRARY = "@modelcontextprotocol/server@2.4.0";
  private static final String MCP_SCHEMAS = "zod@4.6.7";
  private static final String PYTHON_LIBRARY = "python-lsp-jsonrpc==1.1.2";
  private static final int PATIENCE_SECONDS = 60;

  private static final String SUBTRACT =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subtract\",\"params\":[42,23]}";
  private static final String ANSWER = "\"result\":19";
  private static final String INITIALIZE =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
          + "\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
          + "\"clientInfo\":{\"name\":\"benchmark\",\"version\":\"1\"}}}";

  private static final String TRIED = "The launcher starts no other process and keeps a class-data "
      + "archive. Before the first answer no pattern is compiled and fewer classes are generated. A "
      + "server with a plain command line starts without picocli, in 0.7 of the time. For calls, "
      + "picocli and (over HTTP) Netty take most of the remaining time. An AOT cache on JDK 25 was "
      + "not faster than the archive.";

  /** The dialog with a program: its input, and a part of its answer that stops the clock. */
  private enum Dialog {
    LINES(SUBTRACT + "\n", ANSWER),
    HEADED("Content-Length: " + SUBTRACT.length() + "\r\n\r\n" + SUBTRACT, ANSWER),
    MCP(INITIALIZE + "\n", "serverInfo"),
    /** No input: the clock stops at the end of a program that prints the result. */
    RESULT("", "19\n"),
    /** No input, and nothing to print. */
    NONE("", "");

    final String input;
    final String answer;

    Dialog(String input, String answer) {
      this.input = input;
      this.answer = answer;
    }
  }

  /**
   * A program to start.
   *
   * @param goal the maximum time, as a multiple of {@code java -version}; 0 for no goal
   */
  private record Starter(String name, List<String> command, Dialog dialog, int goal) {
    Starter(String name, List<String> command, Dialog dialog) {
      this(name, command, dialog, 0);
    }
  }

  private final Jvm jvm;
  private final Path root;
  private final Path work;
  private final Path log;
  private final List<String> left = new ArrayList<>();

  private StartUp(Jvm jvm, Path benchmarks, Path log) throws IOException {
    this.jvm = jvm;
    this.root = benchmarks.toAbsolutePath().resolve("../..").normalize();
    this.work = Files.createDirectories(benchmarks.resolve("target/start-up"));
    this.log = log;
  }

  /** Measures all programs on that JDK. */
  public static Section run(Jvm jvm, Path benchmarks, Path log, int rounds) throws IOException {
    return new StartUp(jvm, benchmarks, log).measure(rounds);
  }

  private Section measure(int rounds) throws IOException {
    List<Starter> others = others();
    awaitTheArchive();
    Process server = builder(List.of(
            repartee(),
            "serve",
            "--listen",
            "tcp://127.0.0.1:0",
            "--listen",
            "http://127.0.0.1:0/"))
        .redirectError(ProcessBuilder.Redirect.PIPE)
        .start();
    try {
      BufferedReader said = server.errorReader(UTF_8);
      List<Starter> starters = new ArrayList<>(ours(listening(said), listening(said)));
      starters.addAll(others);
      Map<Starter, List<Double>> samples = new LinkedHashMap<>();
      for (Starter starter : starters) {
        time(starter); // warms up the disk cache
        samples.put(starter, new ArrayList<>());
      }
      new Turns<>("start-up on Java " + jvm.feature(), starters)
          .rounds(
              rounds, starter -> Objects.requireNonNull(samples.get(starter)).add(time(starter)));
      return section(samples);
    } finally {
      server.destroy();
    }
  }

  private List<Starter> ours(String tcp, String http) {
    return List.of(
        new Starter("java -version", List.of(jvm.java(), "-version"), Dialog.NONE),
        new Starter(
            "repartee serve --listen stdio:",
            List.of(repartee(), "serve", "--listen", "stdio:"),
            Dialog.LINES,
            3),
        new Starter("repartee call tcp:", call(tcp), Dialog.RESULT, 5),
        new Starter("repartee call http:", call(http), Dialog.RESULT, 9),
        new Starter(
            "a program with repartee-core", program(Libraries.CORE, "repartee"), Dialog.LINES),
        new Starter(
            "a program with repartee-mcp", program(Libraries.MCP, "repartee-mcp"), Dialog.MCP));
  }

  /** Returns the other libraries; those for Node and Python if they can be installed. */
  private List<Starter> others() throws IOException {
    List<Starter> others = new ArrayList<>(List.of(
        new Starter("LSP4J", program(Libraries.ALL, "lsp4j"), Dialog.HEADED),
        new Starter("MCP Java SDK", program(Libraries.MCP_SDK, "mcp-java"), Dialog.MCP)));
    Path mcp = Files.createDirectories(work.resolve("mcp"));
    if (isInstalledByNpm(mcp, "the MCP TypeScript SDK", MCP_LIBRARY, MCP_SCHEMAS)) {
      List<String> command = List.of("node", script("mcp/mcp.mjs"));
      others.add(new Starter("MCP TypeScript SDK on Node", command, Dialog.MCP));
    }
    if (isInstalledByNpm(work, "vscode-jsonrpc", NODE_LIBRARY)) {
      List<String> command = List.of("node", script("stdio.js"));
      others.add(new Starter("vscode-jsonrpc on Node", command, Dialog.HEADED));
    }
    String python = work.resolve("venv/bin/python").toString();
    if (Files.isExecutable(Path.of(python))
        || succeeds("python3", "-m", "venv", work.resolve("venv").toString())
            && succeeds(python, "-m", "pip", "install", PYTHON_LIBRARY)) {
      List<String> command = List.of(python, script("stdio.py"));
      others.add(new Starter("python-lsp-jsonrpc", command, Dialog.HEADED));
    } else {
      left.add("Left out, since python3 or its registry is missing: python-lsp-jsonrpc.");
    }
    return others;
  }

  private boolean isInstalledByNpm(Path folder, String name, String... packages)
      throws IOException {
    List<String> npm =
        new ArrayList<>(List.of("npm", "install", "--prefix", folder.toString(), "--no-save"));
    npm.addAll(List.of(packages));
    boolean installed =
        Files.isDirectory(folder.resolve("node_modules")) || succeeds(npm.toArray(String[]::new));
    if (!installed) {
      left.add("Left out, since npm or its registry is missing: " + name + ".");
    }
    return installed;
  }

  /** Returns the milliseconds to the answer, or to the end of a program without input. */
  private double time(Starter starter) throws IOException {
    long started = System.nanoTime();
    Process process = builder(starter.command).start();
    try {
      if (!starter.dialog.input.isEmpty()) {
        process.getOutputStream().write(starter.dialog.input.getBytes(UTF_8));
        process.getOutputStream().flush();
      }
      readUntil(process.getInputStream(), starter);
      if (starter.dialog.input.isEmpty()) {
        await(process);
      }
      double millis = (System.nanoTime() - started) / 1e6;
      process.getOutputStream().close();
      return millis;
    } finally {
      process.destroy();
      await(process);
    }
  }

  private void readUntil(InputStream in, Starter starter) throws IOException {
    StringBuilder said = new StringBuilder();
    byte[] buffer = new byte[8_192];
    while (said.indexOf(starter.dialog.answer) < 0) {
      int n = in.read(buffer);
      if (n < 0) {
        throw new IOException(starter.name() + " ended after '" + said + "', see " + log);
      }
      said.append(new String(buffer, 0, n, UTF_8));
    }
  }

  private static void await(Process process) throws IOException {
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException("still running after " + PATIENCE_SECONDS + " s: " + process.info());
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private Section section(Map<Starter, List<Double>> samples) throws IOException {
    Text text = new Text().add("""
        ## Start-up

        The time from the start of a process to its first answer. The processes are not pinned to a CPU.

        | start | ms | quartiles | x java -version |
        |---|---|---|---|
        """);
    double bare = Statistics.median(samples.values().iterator().next());
    List<Goal> goals = new ArrayList<>();
    List<Chart.Bar> bars = new ArrayList<>();
    samples.forEach((starter, millis) -> {
      double median = Statistics.median(millis);
      double low = Statistics.quantile(millis.stream().mapToDouble(d -> d), 0.25);
      double high = Statistics.quantile(millis.stream().mapToDouble(d -> d), 0.75);
      double ratio = median / bare;
      text.add("| %s | %.0f | %.0f-%.0f | %.1f |%n", starter.name, median, low, high, ratio);
      Chart.Of owner = starter.name.contains("repartee") ? Chart.Of.US : Chart.Of.PEER;
      bars.add(new Chart.Bar(starter.name, median, Text.of("%.0f", median), owner));
      if (starter.goal > 0) {
        Goal.Bound bound = Goal.Bound.atMost(starter.goal, "");
        String goal = "start: " + starter.name + ", times java -version";
        goals.add(new Goal(goal, "start-up", bound, ratio, "", TRIED));
      }
    });
    text.add("%s", bulk());
    left.forEach(sentence -> text.add("%n%s%n", sentence));
    Chart chart = Chart.of("start-up", "start-up: milliseconds to the first answer", bars);
    return new Section(text.toString(), goals, List.of(chart), List.of());
  }

  private String repartee() {
    return root.resolve("repartee").toString();
  }

  private List<String> call(String uri) {
    return List.of(repartee(), "call", uri, "subtract", "42", "23");
  }

  /**
   * Returns the command of a program with only those class path entries, like an embedding user.
   */
  private List<String> program(String entries, String library) {
    return jvm.only(entries + "|" + Libraries.OWN).unpinned(List.of(), StdioMain.class, library);
  }

  private List<Path> entries(String pattern) {
    return Stream.of(jvm.only(pattern).classPath().split(File.pathSeparator))
        .map(Path::of)
        .toList();
  }

  /** Returns a table of the sizes of MCP servers with their dependencies. */
  private String bulk() throws IOException {
    String rows = InstalledSize.ofClassPath(entries(Libraries.MCP)).row("repartee-mcp")
        + InstalledSize.ofClassPath(entries(Libraries.MCP_SDK)).row("MCP Java SDK");
    Path modules = work.resolve("mcp/node_modules");
    if (Files.isDirectory(modules)) {
      rows += InstalledSize.ofNodeModules(modules).row("MCP TypeScript SDK");
    }
    return "\nThe size of an MCP server with all its dependencies:\n\n"
        + "| library | jars or packages | MB |\n|---|---|---|\n" + rows;
  }

  private String script(String name) throws IOException {
    Path script = work.resolve(name);
    String resource = script.getFileName().toString();
    try (InputStream in = Objects.requireNonNull(StartUp.class.getResourceAsStream(resource))) {
      Files.write(script, in.readAllBytes());
    }
    return script.toString();
  }

  private boolean succeeds(String... command) throws IOException {
    try {
      Process process = new ProcessBuilder(command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
          .start();
      process.getOutputStream().close();
      return process.waitFor() == 0;
    } catch (IOException notInstalled) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private ProcessBuilder builder(List<String> command) {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().put("JAVA_HOME", jvm.home().toString());
    builder.environment().remove("REPARTEE_OPTS");
    return builder;
  }

  private static String listening(BufferedReader said) throws IOException {
    String line = said.readLine();
    if (line == null || !line.startsWith("listening on ")) {
      throw new IOException("repartee serve says '" + line + "'");
    }
    return line.substring("listening on ".length());
  }

  /**
   * Waits for the class-data archive, which the launcher writes in the background after its first
   * use.
   */
  private void awaitTheArchive() throws IOException {
    Path archives = Path.of(root + "/tools/cli/target/archives" + jvm.home());
    Path ready = root.resolve("tools/cli/target/ready");
    await(builder(List.of(repartee(), "--version")).start());
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (System.nanoTime() - deadline < 0) {
      try (Stream<Path> files = Files.list(archives)) {
        long built = Files.getLastModifiedTime(ready).toMillis();
        if (files.anyMatch(
            file -> file.toString().endsWith(".jsa") && file.toFile().lastModified() >= built)) {
          return;
        }
      }
      pause();
    }
    left.add("There was no class-data archive for Java " + jvm.feature() + ".");
  }

  private static void pause() {
    try {
      Thread.sleep(50);
    } catch (InterruptedException e) {
      throw new UncheckedIOException(new IOException(e));
    }
  }
}

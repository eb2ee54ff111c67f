package dev.repartee.benchmarks.startup;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.process.Libraries;
import dev.repartee.benchmarks.report.Chart;
import dev.repartee.benchmarks.report.Goal;
import dev.repartee.benchmarks.report.Section;
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
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Measures the time from the start of a process to its first answer, beside a bare {@code java
 * -version} of the same JDK. The programs take turns; each start is a new process.
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

  private static final String INITIALIZED = "serverInfo";

  /**
   * A program to start.
   *
   * @param input its standard input
   * @param answer a part of its answer; the clock stops when this text was read
   * @param goal the maximum time, as a multiple of {@code java -version}; 0 for no goal
   */
  private record Starter(
      String name, List<String> command, String input, String answer, int goal) {}

  private final Path root;
  private final Path work;
  private final Path log;
  private final int rounds;
  private final List<String> left = new ArrayList<>();

  private StartUp(Path benchmarks, Path log, int rounds) throws IOException {
    this.root = benchmarks.toAbsolutePath().resolve("..").normalize();
    this.work = Files.createDirectories(benchmarks.resolve("target/start-up"));
    this.log = log;
    this.rounds = rounds;
  }

  /** Measures all programs on that JDK. */
  public static Section run(Jvm jvm, Path benchmarks, Path log, int rounds) throws IOException {
    StartUp startUp = new StartUp(benchmarks, log, rounds);
    @Nullable List<String> node = startUp.node();
    @Nullable List<String> python = startUp.python();
    @Nullable List<String> mcp = startUp.mcpOnNode();
    return startUp.measure(jvm, node, python, mcp);
  }

  private Section measure(
      Jvm jvm,
      @Nullable List<String> node,
      @Nullable List<String> python,
      @Nullable List<String> mcp)
      throws IOException {
    awaitTheArchive(jvm);
    Process server = builder(
            jvm,
            List.of(
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
      String tcp = listening(said);
      String http = listening(said);
      List<Starter> starters = new ArrayList<>(List.of(
          new Starter("java -version", List.of(jvm.java(), "-version"), "", "", 0),
          new Starter(
              "repartee serve --listen stdio:",
              List.of(repartee(), "serve", "--listen", "stdio:"),
              SUBTRACT + "\n",
              ANSWER,
              3),
          new Starter("repartee call tcp:", call(tcp), "", "19\n", 5),
          new Starter("repartee call http:", call(http), "", "19\n", 9),
          new Starter(
              "a program with repartee-core",
              program(jvm, Libraries.CORE, "repartee"),
              SUBTRACT + "\n",
              ANSWER,
              0),
          new Starter(
              "a program with repartee-mcp",
              program(jvm, Libraries.MCP, "repartee-mcp"),
              INITIALIZE + "\n",
              INITIALIZED,
              0),
          new Starter("LSP4J", program(jvm, Libraries.ALL, "lsp4j"), headed(SUBTRACT), ANSWER, 0),
          new Starter(
              "MCP Java SDK",
              program(jvm, Libraries.MCP_SDK, "mcp-java"),
              INITIALIZE + "\n",
              INITIALIZED,
              0)));
      if (mcp != null) {
        starters.add(
            new Starter("MCP TypeScript SDK on Node", mcp, INITIALIZE + "\n", INITIALIZED, 0));
      }
      if (node != null) {
        starters.add(new Starter("vscode-jsonrpc on Node", node, headed(SUBTRACT), ANSWER, 0));
      }
      if (python != null) {
        starters.add(new Starter("python-lsp-jsonrpc", python, headed(SUBTRACT), ANSWER, 0));
      }
      return section(samples(jvm, starters), bulk(jvm));
    } finally {
      server.destroy();
    }
  }

  private Map<Starter, List<Double>> samples(Jvm jvm, List<Starter> starters) throws IOException {
    Map<Starter, List<Double>> samples = new LinkedHashMap<>();
    for (int round = 0; round <= rounds; round++) {
      System.err.printf("start-up on Java %d: round %d of %d%n", jvm.feature(), round, rounds);
      for (Starter starter : starters) {
        double millis = time(jvm, starter);
        if (round > 0) { // the first round warms up the disk cache
          samples.computeIfAbsent(starter, s -> new ArrayList<>()).add(millis);
        }
      }
    }
    return samples;
  }

  /** Returns the milliseconds to the answer, or to the end of a program without input. */
  private double time(Jvm jvm, Starter starter) throws IOException {
    long started = System.nanoTime();
    Process process = start(jvm, starter.command());
    try {
      if (!starter.input().isEmpty()) {
        process.getOutputStream().write(starter.input().getBytes(UTF_8));
        process.getOutputStream().flush();
        readUntil(process.getInputStream(), starter);
      } else {
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        await(process);
        if (!out.contains(starter.answer())) {
          throw new IOException(starter.name() + " says '" + out + "', see " + log);
        }
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
    while (said.indexOf(starter.answer()) < 0) {
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

  private Section section(Map<Starter, List<Double>> samples, String bulk) {
    StringBuilder text =
        new StringBuilder("## Start-up\n\nThe time from the start of a process to its first"
            + " answer. The processes are not pinned to a CPU.\n\n"
            + "| start | ms | quartiles | x java -version |\n|---|---|---|---|\n");
    double bare = quantile(samples.values().iterator().next(), 0.5);
    List<Goal> goals = new ArrayList<>();
    List<Chart.Bar> bars = new ArrayList<>();
    samples.forEach((starter, millis) -> {
      double median = quantile(millis, 0.5);
      double ratio = median / bare;
      text.append(String.format(
          Locale.ROOT,
          "| %s | %.0f | %.0f-%.0f | %.1f |%n",
          starter.name(),
          median,
          quantile(millis, 0.25),
          quantile(millis, 0.75),
          ratio));
      bars.add(new Chart.Bar(
          starter.name(),
          median,
          String.format(Locale.ROOT, "%.0f", median),
          starter.name().contains("repartee") ? Chart.Of.US : Chart.Of.PEER));
      if (starter.goal() > 0) {
        goals.add(new Goal(
            "start: " + starter.name() + ", times java -version",
            "start-up",
            Goal.Bound.atMost(starter.goal(), ""),
            ratio,
            "",
            "The launcher starts no other process and keeps a class-data archive. Before "
                + "the first answer no pattern is compiled and fewer classes are generated. A "
                + "server with a plain command line starts without picocli, in 0.7 of the time. "
                + "For calls, picocli and (over HTTP) Netty take most of the remaining time. An "
                + "AOT cache on JDK 25 was not faster than the archive."));
      }
    });
    Chart chart = new Chart(
        "start-up",
        "start-up: milliseconds to the first answer",
        0,
        List.of(new Chart.Group("", bars)));
    text.append(bulk);
    left.forEach(sentence -> text.append('\n').append(sentence).append('\n'));
    return new Section(text.toString(), goals, List.of(chart), List.of());
  }

  /** Returns the quantile {@code part}, from 0 to 1, of the values. */
  private static double quantile(List<Double> values, double part) {
    List<Double> sorted = values.stream().sorted().toList();
    double at = part * (sorted.size() - 1);
    double low = sorted.get((int) at);
    return low + (sorted.get((int) Math.ceil(at)) - low) * (at - (int) at);
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
  private static List<String> program(Jvm jvm, String entries, String library) {
    String path = jvm.only(entries + "|" + Libraries.OWN).classPath();
    return List.of(jvm.java(), "-cp", path, StdioMain.class.getName(), library);
  }

  private static List<Path> entries(Jvm jvm, String pattern) {
    return Stream.of(jvm.only(pattern).classPath().split(File.pathSeparator))
        .map(Path::of)
        .toList();
  }

  /** Returns a table of the sizes of MCP servers with their dependencies. */
  private String bulk(Jvm jvm) throws IOException {
    String rows = InstalledSize.ofClassPath(entries(jvm, Libraries.MCP)).row("repartee-mcp")
        + InstalledSize.ofClassPath(entries(jvm, Libraries.MCP_SDK)).row("MCP Java SDK");
    Path modules = work.resolve("mcp/node_modules");
    if (Files.isDirectory(modules)) {
      rows += InstalledSize.ofNodeModules(modules).row("MCP TypeScript SDK");
    }
    return "\nThe size of an MCP server with all its dependencies:\n\n"
        + "| library | jars or packages | MB |\n|---|---|---|\n" + rows;
  }

  private static String headed(String message) {
    return "Content-Length: " + message.length() + "\r\n\r\n" + message;
  }

  private @Nullable List<String> node() throws IOException {
    if (!Files.isDirectory(work.resolve("node_modules"))
        && !succeeds("npm", "install", "--prefix", work.toString(), "--no-save", NODE_LIBRARY)) {
      left.add("Left out, since npm or its registry is missing: vscode-jsonrpc.");
      return null;
    }
    return List.of("node", script("stdio.js"));
  }

  private @Nullable List<String> mcpOnNode() throws IOException {
    Path folder = Files.createDirectories(work.resolve("mcp"));
    if (!Files.isDirectory(folder.resolve("node_modules"))
        && !succeeds(
            "npm",
            "install",
            "--prefix",
            folder.toString(),
            "--no-save",
            MCP_LIBRARY,
            MCP_SCHEMAS)) {
      left.add("Left out, since npm or its registry is missing: the MCP TypeScript SDK.");
      return null;
    }
    return List.of("node", script("mcp/mcp.mjs"));
  }

  private @Nullable List<String> python() throws IOException {
    Path venv = work.resolve("venv");
    String python = venv.resolve("bin/python").toString();
    if (!Files.isExecutable(Path.of(python))
        && !(succeeds("python3", "-m", "venv", venv.toString())
            && succeeds(python, "-m", "pip", "install", PYTHON_LIBRARY))) {
      left.add("Left out, since python3 or its registry is missing: python-lsp-jsonrpc.");
      return null;
    }
    return List.of(python, script("stdio.py"));
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

  private Process start(Jvm jvm, List<String> command) throws IOException {
    return builder(jvm, command).start();
  }

  private ProcessBuilder builder(Jvm jvm, List<String> command) {
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
  private void awaitTheArchive(Jvm jvm) throws IOException {
    Path archives = Path.of(root + "/cli/target/archives" + jvm.home());
    Path ready = root.resolve("cli/target/ready");
    await(start(jvm, List.of(repartee(), "--version")));
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

package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.JsonWriter;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The command in a separate process, which is killed at the end of the test. */
final class Child implements AutoCloseable {
  /** The JVM that runs the tests, with the options of the command. */
  static final List<String> JVM = List.of(
      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
      "-XX:TieredStopAtLevel=1",
      "-Xmx128m",
      "--enable-native-access=ALL-UNNAMED", // like the manifest of the command's jar
      "-Xlog:disable"); // JDK 25 reports on standard output that this option slows its archive down

  private static final int PATIENCE_SECONDS = 90;

  /** The exit code and the output of a process that has ended. */
  record Outcome(int exit, String out, String err) {}

  private final Process process;
  private final LinkedBlockingQueue<String> errLines = new LinkedBlockingQueue<>();
  private final FutureTask<String> out;
  private final FutureTask<String> err;

  private Child(Process process) {
    this.process = process;
    this.out = drain(process.getInputStream(), new LinkedBlockingQueue<>());
    this.err = drain(process.getErrorStream(), errLines);
  }

  static List<String> command(String... words) {
    return program(Main.class.getName(), words);
  }

  private static List<String> program(String main, String... words) {
    List<String> command = new ArrayList<>();
    command.addAll(JVM);
    command.addAll(CommandArchive.OPTIONS);
    command.add(main);
    command.addAll(List.of(words));
    return command;
  }

  /** Starts another program of the class path. */
  static Child startProgram(String main, String... words) throws IOException {
    return start(program(main, words));
  }

  /** Starts the command with options of the JVM. */
  static Child start(List<String> options, String... words) throws IOException {
    List<String> command = command(words);
    command.addAll(command.indexOf("-cp"), options); // a later option overrides an earlier one
    return start(command);
  }

  /** Returns the {@code exec:} URI that starts the command as a child of the command. */
  static String execUri(String... words) {
    return execUri(command(words));
  }

  /** Returns the {@code exec:} URI that starts another program of the class path. */
  static String execProgram(String main, String... words) {
    return execUri(program(main, words));
  }

  private static String execUri(List<String> command) {
    StringBuilder argv = new StringBuilder("exec:");
    char separator = '[';
    for (String word : command) {
      argv.append(separator).append(new JsonWriter().string(word));
      separator = ',';
    }
    return argv.append(']').toString();
  }

  static Child start(String... words) throws IOException {
    return start(command(words));
  }

  private static Child start(List<String> command) throws IOException {
    return start(command, Map.of());
  }

  /** Starts any command with additional environment variables. */
  static Child start(List<String> command, Map<String, String> environment) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(new File("target"));
    builder.environment().putAll(environment);
    return new Child(builder.start());
  }

  /** Runs the command to its end. */
  static Outcome run(String... words) throws Exception {
    return run(InputStream.nullInputStream(), words);
  }

  static Outcome run(InputStream in, String... words) throws Exception {
    try (Child child = start(words)) {
      try (OutputStream input = child.in()) {
        in.transferTo(input);
      } catch (IOException e) {
        // The command has ended, perhaps before it has read all of its input.
      }
      return child.outcome();
    }
  }

  OutputStream in() {
    return process.getOutputStream();
  }

  Process process() {
    return process;
  }

  /** Sends SIGTERM. {@link Process#destroy} closes the streams too, perhaps while they are read. */
  void terminate() {
    process.toHandle().destroy();
  }

  /** Returns the next line of standard error. */
  String errLine() throws InterruptedException {
    String line = errLines.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (line == null) {
      throw new AssertionError("no line on standard error within " + PATIENCE_SECONDS + " s");
    }
    return line;
  }

  /** Returns the next line of standard error, or nothing if none arrives within a moment. */
  String errLineSoon() throws InterruptedException {
    String line = errLines.poll(100, TimeUnit.MILLISECONDS);
    return line == null ? "" : line;
  }

  /** Kills the programs that this process has started and whose command contains a word. */
  void killChildren(String word) {
    process
        .descendants()
        .filter(child -> words(child).contains(word))
        .forEach(child -> child.destroyForcibly());
  }

  /** Returns the command of a process; a {@link ProcessHandle} returns only a limited length. */
  private static String words(ProcessHandle process) {
    try {
      return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
    } catch (IOException e) { // it has ended, or this is not Linux
      return process.info().commandLine().orElse("");
    }
  }

  /** Returns the URI of the next line {@code listening on URI}, after lines of skipped methods. */
  String listening() throws InterruptedException {
    String line = errLine();
    while (line.startsWith("repartee: not served: ")) {
      line = errLine();
    }
    if (!line.startsWith("listening on ")) {
      throw new AssertionError("not listening: " + line);
    }
    return line.substring("listening on ".length());
  }

  /** Waits for the end of the process. */
  Outcome outcome() throws Exception {
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("still running after " + PATIENCE_SECONDS + " s: " + errLines);
    }
    return new Outcome(
        process.exitValue(),
        out.get(PATIENCE_SECONDS, TimeUnit.SECONDS),
        err.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join(); // it may write into a folder of the test
  }

  /** Reads in a separate thread; otherwise the process could block on a full pipe. */
  private static FutureTask<String> drain(InputStream stream, Queue<String> lines) {
    FutureTask<String> text = new FutureTask<>(() -> text(stream, lines));
    Thread thread = new Thread(text, "drain");
    thread.setDaemon(true);
    thread.start();
    return text;
  }

  private static String text(InputStream stream, Queue<String> lines) throws IOException {
    StringBuilder text = new StringBuilder();
    try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        text.append(line).append('\n');
        lines.add(line);
      }
    }
    return text.toString();
  }
}

package dev.repartee.benchmarks.language;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.process.Libraries;
import dev.repartee.benchmarks.report.Chart;
import dev.repartee.benchmarks.report.Goal;
import dev.repartee.benchmarks.report.Section;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Compares a language server with {@code protocols/lsp} and one with LSP4J, processes on standard
 * streams: the time to the answer to {@code initialize} of an editor, typed hovers, and changes
 * with a text of 64 KiB. The servers take turns.
 */
public final class LanguageServers {
  private static final int START_UP_GOAL_PERCENT = 50;
  private static final int CALLS_GOAL = 5;
  private static final byte[] HEADER = "Content-Length".getBytes(UTF_8);
  private static final int HOVERS = 200;
  private static final int CHANGES = 8;

  /** The libraries, with patterns for the class path entries that they need. */
  private enum Library {
    REPARTEE("repartee", ".*/(core|envelopes|lsp)/target/classes/?"),
    LSP4J("lsp4j", ".*/(org/eclipse|com/google/code/gson)/.*");

    final String word;
    final String classPath;

    Library(String word, String classPath) {
      this.word = word;
      this.classPath = classPath;
    }
  }

  private final Jvm jvm;
  private final File log;
  private final String initialize;

  private LanguageServers(Jvm jvm, Path log) throws IOException {
    this.jvm = jvm;
    this.log = log.toFile();
    try (InputStream in = LanguageServers.class.getResourceAsStream("initialize.json")) {
      this.initialize =
          request(1, "initialize", new String(Objects.requireNonNull(in).readAllBytes(), UTF_8));
    }
  }

  /**
   * Measures both servers.
   *
   * @param starts the number of starts of each server
   * @param slice the time of a sample of calls, of which there are as many as starts
   */
  public static Section run(Jvm jvm, Path log, int starts, Duration slice) throws IOException {
    LanguageServers servers = new LanguageServers(jvm, log);
    Map<Library, Double> start = servers.start(starts);
    Map<Library, Double> hovers = servers.calls(starts, slice, hovers());
    Map<Library, Double> changes = servers.calls(starts, slice, changes());
    return section(start, hovers, changes);
  }

  private static Section section(
      Map<Library, Double> start, Map<Library, Double> hovers, Map<Library, Double> changes) {
    StringBuilder text = new StringBuilder("## Language servers\n\n"
        + "A server on its standard streams, with `protocols/lsp` and with LSP4J 1.0.0: medians of "
        + "processes in turns. A change carries a text of 64 KiB.\n\n"
        + "| server | ms to the answer to initialize | hovers a second | changes a second |\n"
        + "|---|---|---|---|\n");
    for (Library each : Library.values()) {
      text.append(String.format(
          Locale.ROOT,
          "| %s | %.0f | %,.0f | %,.0f |%n",
          each.word,
          start.get(each),
          hovers.get(each),
          changes.get(each)));
    }
    String tried = "The types read and write themselves, without reflection; see docs/architecture.md.";
    String passes = "A change is validated once, copied once for the worker and decoded once, each"
        + " eight bytes at a time. To validate and decode 64 KiB of code takes 75 us, of which most"
        + " is for its 4,000 escapes; a server that only copies its input takes 11 us for a change.";
    List<Goal> goals = List.of(
        goal("hovers", Goal.Bound.atLeast(CALLS_GOAL), hovers, tried),
        goal("changes of 64 KiB", Goal.Bound.atLeast(CALLS_GOAL), changes, passes),
        goal(
            "start",
            Goal.Bound.atMost(START_UP_GOAL_PERCENT / 100.0, ""),
            start,
            "Most of the rest is the start of the JVM."));
    return new Section(text.toString(), goals, List.<Chart>of(), List.of());
  }

  private static Goal goal(
      String name, Goal.Bound bound, Map<Library, Double> figures, String tried) {
    double ratio = Objects.requireNonNull(figures.get(Library.REPARTEE))
        / Objects.requireNonNull(figures.get(Library.LSP4J));
    return new Goal(
        "a language server: " + name + ", to LSP4J", "language servers", bound, ratio, "", tried);
  }

  // ---------------------------------------------------------------- the measurements

  /** Returns the median of milliseconds from the start to the answer to {@code initialize}. */
  private Map<Library, Double> start(int starts) throws IOException {
    Map<Library, List<Double>> samples = new EnumMap<>(Library.class);
    for (int round = 0; round <= starts; round++) {
      for (Library library : Library.values()) {
        long began = System.nanoTime();
        Server server = new Server(library);
        double millis = (System.nanoTime() - began) / 1e6;
        server.close();
        if (round > 0) { // the first round warms up the disk cache
          samples.computeIfAbsent(library, each -> new ArrayList<>()).add(millis);
        }
      }
    }
    return medians(samples);
  }

  /** Returns the median of messages a second. */
  private Map<Library, Double> calls(int rounds, Duration slice, Burst burst) throws IOException {
    Map<Library, List<Double>> samples = new EnumMap<>(Library.class);
    Map<Library, Server> servers = new EnumMap<>(Library.class);
    try {
      for (Library library : Library.values()) {
        servers.put(library, new Server(library));
      }
      for (Server server : servers.values()) {
        server.send(burst, slice.multipliedBy(8)); // until the code is compiled
      }
      for (int round = 0; round < rounds; round++) {
        for (Library library : Library.values()) {
          Server server = Objects.requireNonNull(servers.get(library));
          samples
              .computeIfAbsent(library, each -> new ArrayList<>())
              .add(server.send(burst, slice));
        }
      }
    } finally {
      servers.values().forEach(Server::close);
    }
    return medians(samples);
  }

  private static Map<Library, Double> medians(Map<Library, List<Double>> samples) {
    return samples.entrySet().stream()
        .collect(Collectors.toMap(
            Map.Entry::getKey,
            each ->
                each.getValue().stream().sorted().toList().get(each.getValue().size() / 2)));
  }

  // ---------------------------------------------------------------- messages

  /**
   * Messages that are sent at once.
   *
   * @param count the number of messages that are counted
   * @param answers the number of answers
   */
  private record Burst(byte[] bytes, int count, int answers) {}

  private static String hover(int number) {
    return request(
        number,
        "textDocument/hover",
        "{\"textDocument\":{\"uri\":\"file:///home/me/project/src/Main.java\"},"
            + "\"position\":{\"line\":12,\"character\":" + number + "}}");
  }

  private static Burst hovers() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < HOVERS; i++) {
      all.writeBytes(framed(hover(100 + i)));
    }
    return new Burst(all.toByteArray(), HOVERS, HOVERS);
  }

  private static Burst changes() {
    String line = "    int sum = first + second; // the \\\"sum\\\"\\n";
    byte[] change = framed("{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didChange\",\"params\":"
        + "{\"textDocument\":{\"uri\":\"file:///home/me/project/src/Main.java\",\"version\":7},"
        + "\"contentChanges\":[{\"text\":\"" + line.repeat((64 << 10) / line.length())
        + "\"}]}}");
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < CHANGES; i++) {
      all.writeBytes(change);
    }
    all.writeBytes(framed(hover(1)));
    return new Burst(all.toByteArray(), CHANGES, 1);
  }

  private static String request(int id, String method, String params) {
    return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":"
        + params + "}";
  }

  private static byte[] framed(String message) {
    int length = message.getBytes(UTF_8).length;
    return ("Content-Length: " + length + "\r\n\r\n" + message).getBytes(UTF_8);
  }

  // ---------------------------------------------------------------- a process

  /** A process that has answered {@code initialize}. */
  private final class Server implements AutoCloseable {
    private final Process process;
    private final byte[] buffer = new byte[1 << 16];
    private int matched;

    Server(Library library) throws IOException {
      String path = jvm.only(library.classPath + "|" + Libraries.OWN).classPath();
      process = new ProcessBuilder(
              jvm.java(), "-cp", path, LanguageServerMain.class.getName(), library.word)
          .redirectError(ProcessBuilder.Redirect.appendTo(log))
          .start();
      try {
        write(framed(initialize));
        await(1);
        write(framed("{\"jsonrpc\":\"2.0\",\"method\":\"initialized\",\"params\":{}}"));
      } catch (IOException e) {
        close();
        throw new IOException(library.word + " did not answer, see " + log, e);
      }
    }

    /** Sends bursts for that time; returns the counted messages a second. */
    double send(Burst burst, Duration time) throws IOException {
      long began = System.nanoTime();
      long end = began + time.toNanos();
      long sent = 0;
      while (System.nanoTime() < end) {
        write(burst.bytes());
        await(burst.answers());
        sent += burst.count();
      }
      return sent * 1e9 / (System.nanoTime() - began);
    }

    private void write(byte[] bytes) throws IOException {
      process.getOutputStream().write(bytes);
      process.getOutputStream().flush();
    }

    /** Waits for that number of answers: the bodies have no header in them. */
    private void await(int answers) throws IOException {
      InputStream in = process.getInputStream();
      int seen = 0;
      while (seen < answers) {
        int n = in.read(buffer);
        if (n < 0) {
          throw new EOFException("the server has ended");
        }
        for (int i = 0; i < n; i++) {
          matched = buffer[i] == HEADER[matched] ? matched + 1 : buffer[i] == HEADER[0] ? 1 : 0;
          if (matched == HEADER.length) {
            matched = 0;
            seen++;
          }
        }
      }
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }
}

package dev.repartee.benchmarks;

import static java.util.stream.Collectors.joining;

import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.report.Chart;
import dev.repartee.benchmarks.report.Section;
import dev.repartee.benchmarks.report.Text;
import dev.repartee.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** The start of the report: Repartee beside other libraries, in some of the measured cells. */
final class Overview {
  /** The libraries by contestant, in the order of the columns. */
  private static final Map<String, String> LIBRARIES = new LinkedHashMap<>();

  static {
    LIBRARIES.put("grpc-bidi", "gRPC, one stream");
    LIBRARIES.put("grpc-unary", "gRPC, unary calls");
    LIBRARIES.put("lsp4j", "LSP4J");
    LIBRARIES.put("jsonrpc4j-nodelay", "jsonrpc4j");
    LIBRARIES.put("jsonrpc4j-jetty", "jsonrpc4j");
    LIBRARIES.put("helidon-nodelay", "Helidon");
    LIBRARIES.put("vscode-jsonrpc-nodelay", "vscode-jsonrpc");
  }

  /**
   * Cells that are compared.
   *
   * @param title a description for the table and the chart
   * @param cells the workload and the shape
   * @param ours the contestant of Repartee; the peers are all others that were measured and are
   *     called in the same way
   * @param inChart whether the chart shows it
   */
  private record Situation(String title, String cells, String ours, boolean inChart) {
    Cell cell(String contestant) {
      return Cell.of(cells + "/" + contestant);
    }

    List<String> peers() {
      return LIBRARIES.keySet().stream()
          .filter(peer -> ours.equals(rival(peer)))
          .toList();
    }

    /** Returns the contestant of Repartee that is called in the same way as a peer. */
    private static String rival(String peer) {
      return switch (peer) {
        case "jsonrpc4j-jetty", "helidon-nodelay" -> "repartee-http";
        case "vscode-jsonrpc-nodelay" -> "repartee";
        default -> "repartee-pair";
      };
    }
  }

  private static final String PAIR = "repartee-pair";

  private static final List<Situation> SITUATIONS = List.of(
      new Situation("TCP, 1 connection, one call at a time", "subtract/1x1", PAIR, true),
      new Situation("TCP, 1 connection, 128 calls in flight", "subtract/1x128", PAIR, false),
      new Situation("TCP, 32 connections, one call at a time", "subtract/32x1", PAIR, false),
      new Situation("TCP, 32 connections, 16 calls in flight", "subtract/32x16", PAIR, true),
      new Situation(
          "TCP, 32 connections, 16 calls in flight, records of 1 KiB", "echo-1k/32x16", PAIR, true),
      new Situation(
          "TCP, 1 connection, one call at a time, records of 64 KiB", "echo-64k/1x1", PAIR, false),
      new Situation(
          "HTTP server, 32 connections, one call at a time",
          "subtract/32x1",
          "repartee-http",
          true),
      new Situation(
          "TCP server, 32 connections, 16 calls in flight", "subtract/32x16", "repartee", false));

  private static final String METHOD = """

      ### Method in short

      - Server and client are separate processes, each on one CPU. JVMs have the serial collector and 512 MB.
      - A figure is the median of short slices. All contestants take turns, and a slice is repeated if other processes
        disturbed it.
      - In the rows *TCP*, the same library is on both sides: its own client calls its own server. In the rows *server*,
        a load generator with prepared requests calls the server.
      - Each library is set up as its authors advise. jsonrpc4j, Helidon and vscode-jsonrpc have TCP_NODELAY in addition:
        with their defaults they make less than 50 calls a second on one connection.
      - gRPC sends protobuf, all others send JSON. With one stream, all calls of a connection share one gRPC call.
      - With one call at a time, the kernel takes most of the time, and the libraries differ little.
      - The [appendix](#appendix-goals-of-the-project) shows the noise: the difference between two measurements.
      """;

  /**
   * A row of {@code outside.json}: results of a run with programs that are not in this repository.
   *
   * @param rate the calls a second of Repartee
   * @param times how many times as fast Repartee is, by library
   */
  record Outside(String title, double rate, boolean inChart, Map<String, Double> times) {
    static List<Outside> all() {
      try (InputStream in = Overview.class.getResourceAsStream("outside.json")) {
        Outside[] rows = Json.parse(Objects.requireNonNull(in).readAllBytes()).as(Outside[].class);
        return List.of(rows);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private final Figures figures;
  private final String machine;
  private final List<Situation> situations;

  /** Makes the overview of one run on a machine, which the chart names. */
  Overview(Figures figures, String machine) {
    this.figures = figures;
    this.machine = machine;
    this.situations = SITUATIONS.stream()
        .filter(s -> rate(s, s.ours) > 0 && !measured(s).isEmpty())
        .toList();
  }

  /** Returns the chart and the tables; empty if no peer was measured. */
  List<Section> sections() {
    if (situations.isEmpty()) {
      return List.of();
    }
    String chart = """
        ## Beside other libraries

        Each figure is calls a second. All libraries of a group took turns in the same run, on the same machine. A call
        subtracts two numbers, if nothing else is written.
        """;
    return List.of(
        new Section(chart, List.of(), List.of(chart()), List.of()),
        new Section(table() + outside() + METHOD, List.of(), List.of(), List.of()));
  }

  private double rate(Situation situation, String contestant) {
    Sample sample = figures.median(situation.cell(contestant));
    return sample == null ? 0 : sample.rate();
  }

  private List<String> measured(Situation situation) {
    return situation.peers().stream().filter(peer -> rate(situation, peer) > 0).toList();
  }

  private Chart chart() {
    List<Chart.Group> groups = new ArrayList<>();
    for (Situation situation : situations) {
      if (situation.inChart) {
        List<Chart.Bar> bars = new ArrayList<>();
        bars.add(bar("Repartee", rate(situation, situation.ours), Chart.Of.US));
        measured(situation)
            .forEach(peer -> bars.add(bar(name(peer), rate(situation, peer), Chart.Of.PEER)));
        groups.add(new Chart.Group(situation.title, bars));
      }
    }
    for (Outside row : Outside.all()) {
      if (row.inChart) {
        List<Chart.Bar> bars = new ArrayList<>();
        bars.add(bar("Repartee", row.rate, Chart.Of.US));
        row.times.forEach(
            (library, times) -> bars.add(bar(library, row.rate / times, Chart.Of.PEER)));
        groups.add(new Chart.Group(row.title + " (*)", bars));
      }
    }
    List<String> notes = Stream.concat(
            Stream.of("Each group has its own linear scale. Longer bars are better."),
            Stream.concat(
                Stream.of(machine.split("; (?=JDK|the server|processes)")),
                Stream.of("(*) Another run, on JDK 17, with a load generator in C.")))
        .toList();
    return new Chart(
        "../images/benchmarks",
        Chart.Width.NARROW,
        "Calls a second beside other libraries",
        0,
        groups,
        notes);
  }

  private static Chart.Bar bar(String library, double rate, Chart.Of of) {
    return new Chart.Bar(library, rate, RaceReport.rate(rate), of);
  }

  private static String name(String peer) {
    return Objects.requireNonNull(LIBRARIES.get(peer));
  }

  private String table() {
    List<String> columns = LIBRARIES.values().stream()
        .distinct()
        .filter(library -> situations.stream()
            .flatMap(s -> measured(s).stream())
            .anyMatch(peer -> name(peer).equals(library)))
        .toList();
    Text text = new Text()
        .add("In parentheses: how many times as fast Repartee is.%n%n| | Repartee | ")
        .add("%s |%n|---|---|%s%n", String.join(" | ", columns), "---|".repeat(columns.size()));
    for (Situation situation : situations) {
      double ours = rate(situation, situation.ours);
      text.add("| %s | %s |", situation.title, RaceReport.rate(ours));
      for (String column : columns) {
        text.add(
            " %s |",
            measured(situation).stream()
                .filter(peer -> name(peer).equals(column))
                .mapToDouble(peer -> rate(situation, peer))
                .mapToObj(rate -> Text.of("%s (%.1f)", RaceReport.rate(rate), ours / rate))
                .collect(joining()));
      }
      text.add("%n");
    }
    return text.toString();
  }

  private static String outside() {
    List<Outside> rows = Outside.all();
    List<String> columns =
        rows.stream().flatMap(row -> row.times.keySet().stream()).distinct().toList();
    Text text = new Text().add("""

        ### Beside Rust, Go and Node.js

        A separate run on 2026-11-21 with JDK 17, at commit ccc716c, marked (*) in the chart: a load generator in C, which
        checks every answer, called each server, on one CPU each. The servers took turns. The figures are the calls a
        second of Repartee, and how many times as fast it is. The load generator and the other servers are not part of
        this repository: this table is copied from the notes of that run.

        | | Repartee | %s |
        |---|---|%s
        """, String.join(" | ", columns), "---|".repeat(columns.size()));
    for (Outside row : rows) {
      text.add("| %s | %s |", row.title, RaceReport.rate(row.rate));
      columns.forEach(column -> {
        Double times = row.times.get(column);
        text.add(
            " %s |",
            times == null ? "" : BigDecimal.valueOf(times).stripTrailingZeros().toPlainString());
      });
      text.add("%n");
    }
    return text.toString();
  }
}

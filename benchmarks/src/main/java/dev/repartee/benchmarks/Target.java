package dev.repartee.benchmarks;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What Repartee has to reach: one cell as a multiple of another, in the same run.
 *
 * @param text what it is, for the table
 * @param measure what of the two cells is compared
 * @param bound the multiple
 * @param tried see {@link Goal}
 */
record Target(String text, Cell cell, Cell of, Measure measure, Goal.Bound bound, String tried) {
  private static final Shape ALONE = new Shape(1, 1);
  private static final Shape PIPELINED = new Shape(1, 128);
  private static final Shape WIDE = new Shape(32, 1);
  private static final Shape BUSY = new Shape(32, 16);
  private static final Shape CROWD = new Shape(16, 625);

  private static final Shape WIDE_OF_MANY = new Shape(32, 1, 10_000);
  private static final Shape ONE_OF_MANY = new Shape(1, 1, 10_000);

  /** What is compared. */
  enum Measure {
    RATE("") {
      @Override
      double of(Sample sample) {
        return sample.rate();
      }
    },
    COST("CPU time of a call: ") {
      @Override
      double of(Sample sample) {
        return sample.cpu();
      }
    };

    private final String words;

    Measure(String words) {
      this.words = words;
    }

    abstract double of(Sample sample);
  }

  /** All that the cells of this module can show. */
  static List<Target> all() {
    return List.of(
        subtract("one call at a time", ALONE, "repartee", "raw-loop", 0.95),
        subtract("one call at a time, low latency", ALONE, "repartee-pair-spin", "raw-loop", 8),
        subtract("one connection, 128 in flight", PIPELINED, "repartee", "raw-loop", 0.9),
        subtract("the same, both sides ours", PIPELINED, "repartee-pair", "raw-loop", 0.8),
        subtract("32 connections", WIDE, "repartee", "raw-loop", 0.95),
        subtract("32 connections, 16 in flight", BUSY, "repartee", "raw-loop", 0.75),
        subtract("the same, both sides, to gRPC unary", BUSY, "repartee-pair", "grpc-unary", 15),
        subtract("the same, to a gRPC stream", BUSY, "repartee-pair", "grpc-bidi", 2.5),
        subtract("the same, to LSP4J", BUSY, "repartee-pair", "lsp4j", 15),
        subtract("a handler that may block, to inline", BUSY, "repartee-lane", "repartee", 0.5),
        subtract("a Unix socket, to TCP", WIDE, "repartee-unix", "repartee", 1.2),
        subtract("HTTP/1.1, 32 connections", WIDE, "repartee-http", "raw-http", 0.9),
        subtract("the same, to Helidon tuned", WIDE, "repartee-http", "helidon-nodelay", 3),
        subtract("the same, to jsonrpc4j on Jetty", WIDE, "repartee-http", "jsonrpc4j-jetty", 5),
        subtract("WebSocket, 32 x 16", BUSY, "repartee-ws", "raw-ws", 0.8),
        subtract("batches over HTTP, to single POSTs", WIDE, "repartee-batch", "repartee-http", 20),
        echo("1 KiB as it came", Workload.ECHO_1K_RAW, BUSY, "repartee", "raw-loop", 0.45),
        echo(
            "1 KiB bound, to gRPC unary", Workload.ECHO_1K, BUSY, "repartee-pair", "grpc-unary", 1),
        echo("1 KiB bound, to a stream", Workload.ECHO_1K, BUSY, "repartee-pair", "grpc-bidi", 1),
        echo("64 KiB as it came", Workload.ECHO_64K_RAW, WIDE, "repartee", "raw-loop", 0.4),
        echo("64 KiB bound, to gRPC", Workload.ECHO_64K, WIDE, "repartee-pair", "grpc-unary", 0.9),
        echo(
                "10,000 that sleep, to as many threads: 1.3 x the time",
                Workload.SLEEP,
                CROWD,
                "repartee-lane",
                "raw-sleep",
                0.77)
            .tried("Each answer leaves with a system call of its own, since its thread wakes alone:"
                + " 59 % of the server's CPU time by perf, and one write for each of 100,000 calls by"
                + " strace. What the threads alone take is the ideal, with no connection in it."),
        cost("10,000 connections to 1, a call at a time", ONE_OF_MANY, ALONE, 1.3),
        cost("10,000 connections to 32, 32 calls at a time", WIDE_OF_MANY, WIDE, 1.3)
            .tried("A raw echo, which keeps next to nothing for a connection, pays nearly as much"
                + " more: the figure beside. Nothing of ours is walked through for each call."));
  }

  private static Target cost(String text, Shape shape, Shape of, double atMost) {
    return new Target(
        text,
        new Cell("repartee", Workload.SUBTRACT, shape),
        new Cell("repartee", Workload.SUBTRACT, of),
        Measure.COST,
        Goal.Bound.atMost(atMost, ""),
        "");
  }

  private static Target subtract(
      String text, Shape shape, String entrant, String of, double atLeast) {
    return echo(text, Workload.SUBTRACT, shape, entrant, of, atLeast);
  }

  private static Target echo(
      String text, Workload workload, Shape shape, String entrant, String of, double atLeast) {
    return new Target(
        text,
        new Cell(entrant, workload, shape),
        new Cell(of, workload, shape),
        Measure.RATE,
        Goal.Bound.atLeast(atLeast),
        "");
  }

  /** The same with a sentence on what was tried, for the case that it is missed. */
  Target tried(String sentence) {
    return new Target(text, cell, of, measure, bound, sentence);
  }

  /** Whether it is about that cell, or says something beside of it. */
  boolean needs(Cell other) {
    return other.equals(cell) || other.equals(of) || beside().contains(other);
  }

  /** What was reached, or null where a cell is missing. */
  @Nullable Goal goal(Figures figures) {
    double reached = multiple(figures, cell, of);
    return Double.isFinite(reached)
        ? new Goal(text, figure(), bound, reached, beside(figures), tried)
        : null;
  }

  /** Not a number where one of them was not measured. */
  private double multiple(Figures figures, Cell one, Cell other) {
    Sample sample = figures.median(one);
    Sample base = figures.median(other);
    return sample == null || base == null ? Double.NaN : measure.of(sample) / measure.of(base);
  }

  private String figure() {
    return measure.words + "`" + cell + "` to `" + (measure == Measure.RATE ? of.entrant() : of)
        + "`";
  }

  /** The other raw echo; of a cost, what that of a raw echo grows by. Two cells, or none. */
  private List<Cell> beside() {
    if (measure == Measure.COST) {
      return List.of(of("raw-loop", cell), of("raw-loop", of));
    }
    return of.entrant().equals("raw-loop") ? List.of(cell, of("raw-netty", of)) : List.of();
  }

  private static Cell of(String entrant, Cell cell) {
    return new Cell(entrant, cell.workload(), cell.shape());
  }

  private String beside(Figures figures) {
    List<Cell> cells = beside();
    double multiple = cells.isEmpty() ? Double.NaN : multiple(figures, cells.get(0), cells.get(1));
    if (!Double.isFinite(multiple)) {
      return "";
    }
    return bound.said(multiple) + (measure == Measure.COST ? " raw-loop" : " to raw-netty");
  }
}

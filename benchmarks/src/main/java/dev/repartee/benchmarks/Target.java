package dev.repartee.benchmarks;

import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.report.Goal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A goal for Repartee: the result of one cell as a multiple of another cell of the same run.
 *
 * @param text a short description, for the table
 * @param measure the value of the two cells that is compared
 * @param bound the goal for the multiple
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

  /** The compared value. */
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

  /** Returns all goals that are measured by cells. */
  static List<Target> all() {
    return List.of(
        subtract("one call at a time", ALONE, "repartee", "raw-loop", 0.95)
            .tried("A call spends about 0.3 of its 23 µs of server time in Java. The kernel needs "
                + "the rest, as for the raw echo, so the figure varies around 1."),
        subtract("one call at a time, low latency", ALONE, "repartee-pair-spin", "raw-loop", 8)
            .tried("Spinning on both sides lowers the median to about 10 µs. A bare ping-pong that"
                + " spins takes 8.6 µs on this machine. The raw echo without spinning takes 56 µs"
                + " for a round trip; it took 79 when the goal was set. Reading a single socket "
                + "without the selector saved 1.6 µs, but cost twice the CPU with many calls in "
                + "flight."),
        subtract("one connection, 128 in flight", PIPELINED, "repartee", "raw-loop", 0.9),
        subtract("the same, Repartee on both sides", PIPELINED, "repartee-pair", "raw-loop", 0.8),
        subtract("32 connections", WIDE, "repartee", "raw-loop", 0.95)
            .tried("Of 5.3 µs of server time for a call, the raw echo also needs 5.1: the figure "
                + "varies around the goal."),
        subtract("32 connections, 16 in flight", BUSY, "repartee", "raw-loop", 0.75)
            .tried("Java needs about 100 ns for a call. The envelope cache, fences once a burst "
                + "and integers written in pairs of digits saved a seventh. Searching digits "
                + "eight at a time, and reading integers during the scan, gained nothing."),
        subtract("the same, both sides, to gRPC unary", BUSY, "repartee-pair", "grpc-unary", 15)
            .tried("See the gRPC stream below: the client is the same."),
        subtract("the same, to a gRPC stream", BUSY, "repartee-pair", "grpc-bidi", 2.5)
            .tried("The client needs twice the CPU of the server: a future, its table entry and a "
                + "clock reading for each call. Removing duplicate locks gained a tenth. The rest"
                + " depends on the inlining of the callback chain by the compiler: the same build"
                + " makes between 1.1 and 1.7 million calls a second from one start to the next."),
        subtract("the same, to LSP4J", BUSY, "repartee-pair", "lsp4j", 15)
            .tried("See the gRPC stream above: the client is the slower side."),
        subtract("a handler that may block, to inline", BUSY, "repartee-lane", "repartee", 0.5)
            .tried("A burst is handed over as a whole and answered in pieces. The remaining cost "
                + "is the copy of each message, its table entry and two locks, twice."),
        subtract("a Unix socket, to TCP", WIDE, "repartee-unix", "repartee", 1.2),
        subtract("HTTP/1.1, 32 connections", WIDE, "repartee-http", "raw-http", 0.9)
            .tried("Netty reads and writes the same as for the limit. Known values of Host and "
                + "Content-Type are no longer matched against patterns. The remaining cost, 1 µs "
                + "of 7.4, is the defence against foreign web pages, time limits and the order of"
                + " answers."),
        subtract("the same, to Helidon tuned", WIDE, "repartee-http", "helidon-nodelay", 3)
            .tried("Most of our time is spent in the kernel and in Netty; see HTTP/1.1 above."),
        subtract("the same, to jsonrpc4j on Jetty", WIDE, "repartee-http", "jsonrpc4j-jetty", 5)
            .tried("Most of our time is spent in the kernel and in Netty; see HTTP/1.1 above."),
        subtract("WebSocket, 32 x 16", BUSY, "repartee-ws", "raw-ws", 0.8)
            .tried("Netty handles each message as a frame of its own, which takes most of the "
                + "time."),
        subtract("batches over HTTP, to single POSTs", WIDE, "repartee-batch", "repartee-http", 20)
            .tried("A batch costs 0.28 µs for each call, most of it for the call itself. Each "
                + "answer is still copied once into the reply."),
        echo("1 KiB without binding", Workload.ECHO_1K_RAW, BUSY, "repartee", "raw-loop", 0.45)
            .tried("The raw echo copies bytes without reading them. We search the text eight bytes"
                + " at a time and copy it once. A wider search is the remaining option (the "
                + "Vector API is still in incubation)."),
        echo(
            "1 KiB bound to records, to gRPC unary",
            Workload.ECHO_1K,
            BUSY,
            "repartee-pair",
            "grpc-unary",
            1),
        echo(
                "1 KiB bound to records, to a gRPC stream",
                Workload.ECHO_1K,
                BUSY,
                "repartee-pair",
                "grpc-bidi",
                1)
            .tried("Records are read in place and written with prepared names, without boxes: an "
                + "echo takes 3.2 µs instead of 5.1. Scanning before binding takes 0.7 µs on each"
                + " side; a generated reader (avaje-jsonb) takes 1.5 µs, our scan and read "
                + "together 1.9."),
        echo("64 KiB without binding", Workload.ECHO_64K_RAW, WIDE, "repartee", "raw-loop", 0.4)
            .tried("As for 1 KiB: the raw echo copies bytes without reading them."),
        echo(
                "64 KiB bound to records, to gRPC unary",
                Workload.ECHO_64K,
                WIDE,
                "repartee-pair",
                "grpc-unary",
                0.9)
            .tried("As for 1 KiB: an echo takes 190 µs instead of 305."),
        echo(
                "10,000 sleeping calls, to as many sleeping threads: 1.3 x the time",
                Workload.SLEEP,
                CROWD,
                "repartee-lane",
                "raw-sleep",
                0.77)
            .tried("Answers of many workers are now sent together instead of with one system call "
                + "each, which made it 2.6 times as fast. The remaining cost of a call is its "
                + "copy, its table entry, a worker and the wake-up after its sleep, 2 µs; the "
                + "threads alone take 0.65."),
        cost("10,000 connections to 1, a call at a time", ONE_OF_MANY, ALONE, 1.3),
        cost("10,000 connections to 32, 32 calls at a time", WIDE_OF_MANY, WIDE, 1.3)
            .tried("The cost of a raw echo, which keeps almost nothing for a connection, grows "
                + "nearly as much: see the last column. No code of ours iterates over connections"
                + " for a call."));
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

  /** Returns this goal with a sentence on the attempts, which is reported if the goal is missed. */
  Target tried(String sentence) {
    return new Target(text, cell, of, measure, bound, sentence);
  }

  /** Returns whether this goal, or its second comparison, needs that cell. */
  boolean needs(Cell other) {
    return other.equals(cell) || other.equals(of) || beside().contains(other);
  }

  /** Returns the result, or null if a cell is missing. */
  @Nullable
  Goal goal(Figures figures) {
    double reached = multiple(figures, cell, of);
    return Double.isFinite(reached)
        ? new Goal(text, figure(), bound, reached, beside(figures), tried)
        : null;
  }

  /** Returns the multiple; not a number if one of the cells was not measured. */
  private double multiple(Figures figures, Cell one, Cell other) {
    Sample sample = figures.median(one);
    Sample base = figures.median(other);
    return sample == null || base == null ? Double.NaN : measure.of(sample) / measure.of(base);
  }

  private String figure() {
    return measure.words + "`" + cell + "` to `" + (measure == Measure.RATE ? of.entrant() : of)
        + "`";
  }

  /**
   * Returns the cells of the second comparison, two or none: the other raw echo, or its growth in
   * cost.
   */
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

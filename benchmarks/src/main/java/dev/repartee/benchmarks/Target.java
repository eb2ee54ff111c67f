package dev.repartee.benchmarks;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What Repartee has to reach: one cell as a multiple of another, in the same run.
 *
 * @param text what it is, for the table
 * @param atLeast the multiple
 */
record Target(String text, Cell cell, Cell of, double atLeast) {
  private static final Shape ALONE = new Shape(1, 1);
  private static final Shape PIPELINED = new Shape(1, 128);
  private static final Shape WIDE = new Shape(32, 1);
  private static final Shape BUSY = new Shape(32, 16);

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
        subtract("WebSocket, 32 x 16", BUSY, "repartee-ws", "raw-ws", 0.8),
        subtract("batches over HTTP, to single POSTs", WIDE, "repartee-batch", "repartee-http", 20),
        echo("1 KiB as it came", Workload.ECHO_1K_RAW, BUSY, "repartee", "raw-loop", 0.45),
        echo(
            "1 KiB bound, to gRPC unary", Workload.ECHO_1K, BUSY, "repartee-pair", "grpc-unary", 1),
        echo("1 KiB bound, to a stream", Workload.ECHO_1K, BUSY, "repartee-pair", "grpc-bidi", 1),
        echo("64 KiB as it came", Workload.ECHO_64K_RAW, WIDE, "repartee", "raw-loop", 0.4),
        echo("64 KiB bound, to gRPC", Workload.ECHO_64K, WIDE, "repartee-pair", "grpc-unary", 0.9));
  }

  private static Target subtract(
      String text, Shape shape, String entrant, String of, double atLeast) {
    return echo(text, Workload.SUBTRACT, shape, entrant, of, atLeast);
  }

  private static Target echo(
      String text, Workload workload, Shape shape, String entrant, String of, double atLeast) {
    return new Target(
        text, new Cell(entrant, workload, shape), new Cell(of, workload, shape), atLeast);
  }

  /** The multiple that was measured, or null where a cell is missing. */
  @Nullable Double reached(Figures figures) {
    Sample sample = figures.median(cell);
    Sample base = figures.median(of);
    return sample == null || base == null ? null : sample.rate() / base.rate();
  }
}

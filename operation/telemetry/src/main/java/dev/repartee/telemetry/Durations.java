package dev.repartee.telemetry;

import java.util.List;

/** The metric of the durations of calls. The metrics libraries share its names and buckets. */
final class Durations {
  /** The upper bounds of the buckets, in seconds (semantic conventions, rpc-metrics). */
  static final List<Double> BUCKETS =
      List.of(0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0);

  private Durations() {}

  /** Returns the name in the conventions for RPC. */
  static String name(boolean served) {
    return served ? "rpc.server.call.duration" : "rpc.client.call.duration";
  }

  static String description(boolean served) {
    return served ? "Duration of calls that were served" : "Duration of calls that were made";
  }
}

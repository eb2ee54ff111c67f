package dev.repartee.telemetry;

/** The metrics of a server, until they are closed. Thread-safe. */
public interface ServerMetrics extends AutoCloseable {
  /** Ends the metrics. Call it when the server has ended; further calls do nothing. */
  @Override
  void close();
}

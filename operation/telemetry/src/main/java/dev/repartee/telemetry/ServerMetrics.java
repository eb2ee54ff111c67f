package dev.repartee.telemetry;

/** The metrics of a server, until they are closed. Thread-safe. */
public interface ServerMetrics extends AutoCloseable {
  /** Ends the metrics; later calls do nothing. To be called with the end of the server. */
  @Override
  void close();
}

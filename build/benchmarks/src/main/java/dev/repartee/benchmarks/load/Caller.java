package dev.repartee.benchmarks.load;

import java.io.IOException;
import java.time.Duration;

/** A connected client that makes equal calls. The {@link Driver} calls from several threads. */
public interface Caller extends AutoCloseable {
  /** Makes a call and waits for its answer; returns whether it is the expected one. */
  boolean call() throws Exception;

  /** Starts a call. */
  void call(Driver.Done done) throws Exception;

  @Override
  void close() throws IOException;

  /**
   * Calls for that time, with that number of calls in flight. A single call at a time waits for its
   * answer. The client stays open.
   */
  default Sample sample(int inFlight, Duration time) throws Exception {
    Driver.Connection calls = inFlight == 1
        ? Driver.Connection.blocking(() -> {}, this::call)
        : Driver.Connection.of(() -> {}, this::call);
    return new Driver((server, workload) -> calls)
        .timed()
        .run(Address.port(0), Workload.SUBTRACT, new Shape(1, inFlight), time);
  }
}

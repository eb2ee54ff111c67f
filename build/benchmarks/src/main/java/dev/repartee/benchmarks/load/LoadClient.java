package dev.repartee.benchmarks.load;

import java.time.Duration;

/** Calls one server as fast as the server answers. */
public interface LoadClient {
  /** Opens the connections of the shape, keeps them busy for {@code time}, and closes them. */
  Sample run(Address server, Workload workload, Shape shape, Duration time) throws Exception;
}

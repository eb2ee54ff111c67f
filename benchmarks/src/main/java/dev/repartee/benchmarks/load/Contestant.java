package dev.repartee.benchmarks.load;

import org.jspecify.annotations.Nullable;

/**
 * One way to serve and make calls: a name, a server, a client. Three processes create an instance:
 * the benchmark itself, which calls {@link #plays}, the server process and the client process.
 */
public interface Contestant {
  /** Returns its name in tables and patterns, such as {@code grpc-unary}. */
  String name();

  /** Returns a short description for readers of the report. */
  String about();

  /** Returns whether it supports that workload in that shape, and the result is meaningful. */
  boolean plays(Workload workload, Shape shape);

  /** Returns the name of the raw echo that is its limit, or its own name. */
  String limit();

  /** Returns the name of its limit in that workload. */
  default String limit(Workload workload) {
    return workload == Workload.SLEEP ? "raw-sleep" : limit();
  }

  /** Starts serving and returns the address. The server need not stop: it ends with its process. */
  Address serve(Workload workload) throws Exception;

  /** Returns the client that calls its server. */
  LoadClient client();

  /** Returns the missing requirement on this machine and JDK version, or null if it can run. */
  default @Nullable String lacks(int jdk) {
    return null;
  }
}

package dev.repartee.benchmarks;

import org.jspecify.annotations.Nullable;

/**
 * One way to serve calls, and to make them: a name, a server, a client. An instance is made in three
 * processes: one that asks it what it plays, one that serves, one that calls.
 */
interface Contestant {
  /** How tables and patterns name it, such as {@code grpc-unary}. */
  String name();

  /** What a reader has to know of it, in half a sentence. */
  String about();

  /** Whether it can do that, and it makes sense. */
  boolean plays(Workload workload, Shape shape);

  /** The name of the raw echo that it is held against, or its own. */
  String limit();

  /** What it is held against in that workload. */
  default String limit(Workload workload) {
    return workload == Workload.SLEEP ? "raw-sleep" : limit();
  }

  /**
   * Starts serving, and answers where. It need not be able to stop: the process ends with it.
   */
  Address serve(Workload workload) throws Exception;

  /** What calls it. */
  Client client();

  /** What it lacks on this machine and a JDK of that version, or null where it can run. */
  default @Nullable String lacks(int jdk) {
    return null;
  }
}

package dev.repartee.benchmarks;

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

  /**
   * Starts serving, and answers where. It need not be able to stop: the process ends with it.
   */
  Address serve(Workload workload) throws Exception;

  /** What calls it. */
  Client client();

  /** How many times the usual warm-up it takes until it gets no faster. */
  default int warmUps() {
    return 1;
  }

  /** The oldest JDK that it runs on. */
  default int jdk() {
    return 17;
  }
}

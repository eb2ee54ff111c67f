package dev.repartee.benchmarks.load;

import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One way to serve and make calls. Three processes look it up: the benchmark itself, which asks
 * {@link #plays}, the server process and the client process.
 *
 * @param name its name in tables and patterns, such as {@code grpc-unary}
 * @param about a short description for readers of the report
 * @param limit the name of the raw echo that is its limit, or its own name
 * @param plays selects the workloads and shapes that it supports with a meaningful result
 * @param server starts its server, which ends with its process
 * @param client calls its server
 * @param requirement returns the missing requirement for a JDK version, or null if it can run
 */
public record Contestant(
    String name,
    String about,
    String limit,
    Plays plays,
    Serving server,
    LoadClient client,
    IntFunction<@Nullable String> requirement) {
  /** Selects workloads and shapes. */
  public interface Plays {
    boolean test(Workload workload, Shape shape);
  }

  /** Starts a server and returns its address. */
  public interface Serving {
    Address serve(Workload workload) throws Exception;
  }

  /** Makes a contestant that runs everywhere. */
  public Contestant(
      String name, String about, String limit, Plays plays, Serving server, LoadClient client) {
    this(name, about, limit, plays, server, client, jdk -> null);
  }

  /** Returns this contestant with a requirement. */
  public Contestant requiring(IntFunction<@Nullable String> missing) {
    return new Contestant(name, about, limit, plays, server, client, missing);
  }

  /** Returns whether it supports that workload in that shape. */
  public boolean plays(Workload workload, Shape shape) {
    return plays.test(workload, shape);
  }

  /** Returns the name of its limit in that workload. */
  public String limit(Workload workload) {
    return workload == Workload.SLEEP ? "raw-sleep" : limit;
  }

  /** Starts its server. */
  public Address serve(Workload workload) throws Exception {
    return server.serve(workload);
  }

  /** Returns the missing requirement on this machine and JDK version, or null if it can run. */
  public @Nullable String lacks(int jdk) {
    return requirement.apply(jdk);
  }
}

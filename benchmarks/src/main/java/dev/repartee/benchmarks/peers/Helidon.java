package dev.repartee.benchmarks.peers;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.LoadClient;
import dev.repartee.benchmarks.load.LoadGenerator;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.WireFormat;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.process.Child;
import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.process.ModuleFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Helidon's JSON-RPC server, called by the load generator. It runs in a process of its own.
 * Helidon's classes need JDK 21, so the source of the server is compiled at its start.
 */
public final class Helidon implements Contestant {
  private static final int JDK = 21;

  private final boolean noDelay;

  /** With {@code noDelay} the recommended setup, otherwise the defaults. */
  public Helidon(boolean noDelay) {
    this.noDelay = noDelay;
  }

  @Override
  public String name() {
    return noDelay ? "helidon-nodelay" : "helidon";
  }

  @Override
  public String about() {
    return "Helidon's JSON-RPC, HTTP/1.1, virtual threads"
        + (noDelay ? ", with TCP_NODELAY" : ", with its defaults");
  }

  @Override
  public boolean plays(Workload workload, Shape shape) {
    return workload == Workload.SUBTRACT && shape.inFlight() == 1;
  }

  @Override
  public String limit() {
    return "raw-http";
  }

  @Override
  public @Nullable String lacks(int jdk) {
    return jdk < JDK ? "JDK 21 or newer" : null;
  }

  @Override
  public LoadClient client() {
    return new LoadGenerator(WireFormat.HTTP);
  }

  @Override
  public Address serve(Workload workload) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(Jvm.MEMORY);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ModuleFolder.file("src/main/helidon/HelidonServer.java").toString());
    command.add(Boolean.toString(noDelay));
    Child server = new Child(command);
    return new Address(server.pid(), server.hear());
  }
}

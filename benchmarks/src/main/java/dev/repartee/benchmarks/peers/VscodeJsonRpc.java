package dev.repartee.benchmarks.peers;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.LoadClient;
import dev.repartee.benchmarks.load.LoadGenerator;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.WireFormat;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.process.Child;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** vscode-jsonrpc on Node.js, a process of its own, called by the load generator. */
public final class VscodeJsonRpc implements Contestant {
  private final boolean noDelay;

  /** With {@code noDelay} the recommended setup, otherwise the defaults. */
  public VscodeJsonRpc(boolean noDelay) {
    this.noDelay = noDelay;
  }

  @Override
  public String name() {
    return noDelay ? "vscode-jsonrpc-nodelay" : "vscode-jsonrpc";
  }

  @Override
  public String about() {
    return "vscode-jsonrpc on Node.js, TCP, Content-Length"
        + (noDelay ? ", with TCP_NODELAY" : ", with its defaults");
  }

  @Override
  public boolean plays(Workload workload, Shape shape) {
    return noDelay ? !workload.isRaw() : workload == Workload.SUBTRACT && shape.inFlight() == 1;
  }

  @Override
  public String limit() {
    return "raw-loop";
  }

  @Override
  public @Nullable String lacks(int jdk) {
    return Node.lacks();
  }

  @Override
  public LoadClient client() {
    return new LoadGenerator(WireFormat.CONTENT_LENGTH);
  }

  @Override
  public Address serve(Workload workload) throws IOException {
    List<String> command = List.of("node", Node.script("server.js"), Boolean.toString(noDelay));
    Child server = new Child(command);
    return new Address(server.pid(), server.hear());
  }
}

package dev.repartee.benchmarks;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.process.Child;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The running processes of all entrants of one workload. The entrants that are not being measured
 * stay idle; changes of the machine's state therefore affect all entrants alike.
 */
final class Course implements AutoCloseable {
  private final Workload workload;
  private final Map<Entrant, Running> running = new HashMap<>();
  private final List<Child> children = new ArrayList<>();
  private final Path logs;
  private @Nullable Child loadGenerator;

  private record Running(Address server, Child client) {}

  Course(Workload workload, List<Entrant> entrants, Path logs) throws IOException {
    this.workload = workload;
    this.logs = logs;
    try {
      for (Entrant entrant : entrants) {
        Path log = logs.resolve(workload.label() + "-" + entrant.name() + ".log");
        running.put(entrant, new Running(server(entrant, log), client(entrant, log)));
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private Address server(Entrant entrant, Path log) throws IOException {
    String[] words = {entrant.contestant().name(), workload.label()};
    return Address.of(started(new Child(entrant.jvm().server(ServerMain.class, words), log))
        .hear());
  }

  /**
   * Starts a client; all servers of the load generator share one and therefore have an equally warm
   * client.
   */
  private Child client(Entrant entrant, Path log) throws IOException {
    if (!entrant.isCalledRaw()) {
      return started(new Child(entrant.jvm().client(ClientMain.class), log));
    }
    Child shared = loadGenerator;
    if (shared == null) {
      shared = started(
          new Child(entrant.jvm().client(ClientMain.class), logs.resolve("load-generator.log")));
      loadGenerator = shared;
    }
    return shared;
  }

  private Child started(Child child) {
    children.add(child);
    return child;
  }

  /**
   * Measures one slice.
   *
   * @throws IOException if the client reports a failure
   */
  Sample slice(Entrant entrant, Shape shape, Duration time) throws IOException {
    Running both = Objects.requireNonNull(running.get(entrant));
    both.client()
        .say(ClientMain.request(entrant.contestant().name(), both.server(), workload, shape, time));
    String answer = both.client().hear();
    if (!answer.startsWith("ok ")) {
      throw new IOException(answer);
    }
    return Sample.of(answer.substring(3));
  }

  /**
   * Returns the ids of the processes that may use the CPU while an entrant is measured. The other
   * processes are idle, except compiler threads that still work on the code of earlier calls.
   */
  List<Long> processes(Entrant entrant) {
    Running both = Objects.requireNonNull(running.get(entrant));
    return List.of(
        ProcessHandle.current().pid(), both.server().process(), both.client().pid());
  }

  @Override
  public void close() {
    children.forEach(Child::close);
  }
}

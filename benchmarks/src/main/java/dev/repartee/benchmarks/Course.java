package dev.repartee.benchmarks;

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
 * All entrants of one workload, as running processes. Those not measured stay idle, so that whatever
 * the machine does befalls all alike.
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
    return Address.of(started(new Child(entrant.jvm().server(words), log)).hear());
  }

  /** All raw calls come from one process, so that none has a client that is warmer than another's. */
  private Child client(Entrant entrant, Path log) throws IOException {
    if (!entrant.isCalledRaw()) {
      return started(new Child(entrant.jvm().client(), log));
    }
    Child shared = loadGenerator;
    if (shared == null) {
      shared = started(new Child(entrant.jvm().client(), logs.resolve("load-generator.log")));
      loadGenerator = shared;
    }
    return shared;
  }

  private Child started(Child child) {
    children.add(child);
    return child;
  }

  /**
   * One slice.
   *
   * @throws IOException if the client says that it failed
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
   * The processes that may take the CPU while that entrant is measured. The others are idle, but for
   * compilers that go on for a while with what was called before.
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

package dev.repartee.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All entrants of one workload, as running processes. Those not measured stay idle, so that whatever
 * the machine does befalls all alike.
 */
final class Course implements AutoCloseable {
  private final Workload workload;
  private final Map<String, Address> servers = new LinkedHashMap<>();
  private final Map<String, Child> clients = new LinkedHashMap<>();
  private final List<Child> children = new ArrayList<>();

  Course(Workload workload, List<Entrant> entrants, Path logs) throws IOException {
    this.workload = workload;
    try {
      Child raw = null;
      for (Entrant entrant : entrants) {
        Path log = logs.resolve(workload.label() + "-" + entrant.name() + ".log");
        String[] words = {entrant.contestant().name(), workload.label()};
        Child server = started(new Child(entrant.jvm().server(words), log));
        servers.put(entrant.name(), new Address(server.hear()));
        if (!entrant.isCalledRaw()) {
          clients.put(entrant.name(), started(new Child(entrant.jvm().client(), log)));
        } else {
          if (raw == null) {
            raw = started(new Child(entrant.jvm().client(), logs.resolve("load-generator.log")));
          }
          clients.put(entrant.name(), raw);
        }
      }
    } catch (IOException e) {
      close();
      throw e;
    }
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
    Child client = clients.get(entrant.name());
    client.say(ClientMain.request(
        entrant.contestant().name(), servers.get(entrant.name()), workload, shape, time));
    String answer = client.hear();
    if (!answer.startsWith("ok ")) {
      throw new IOException(answer);
    }
    return Sample.of(answer.substring(3));
  }

  /** All processes, this one too. */
  List<Long> processes() {
    List<Long> all = new ArrayList<>(children.stream().map(Child::pid).toList());
    all.add(ProcessHandle.current().pid());
    return all;
  }

  @Override
  public void close() {
    children.forEach(Child::close);
  }
}

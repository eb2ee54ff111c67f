package dev.repartee.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** The list of contestants. */
final class Contestants {
  private Contestants() {}

  /** Returns the raw echoes, then Repartee, then its peers. */
  static List<Contestant> all() {
    List<Contestant> all = new ArrayList<>(List.of(
        new RawLoop(false, false),
        new RawLoop(false, true),
        new RawNetty(),
        new RawThreads(),
        new RawSleep(),
        new RawLoop(true, false),
        new RawHttp(),
        new RawWebSocket()));
    all.addAll(ReparteeServer.all());
    all.addAll(ReparteePair.all());
    all.addAll(List.of(
        new Grpc(false),
        new Grpc(true),
        new Lsp4j(),
        new JsonRpc4j(false),
        new JsonRpc4j(true),
        new JsonRpc4jServlet(),
        new Helidon(false),
        new Helidon(true),
        new VscodeJsonRpc(false),
        new VscodeJsonRpc(true)));
    return all;
  }

  static Contestant named(String name) {
    return all().stream()
        .filter(contestant -> contestant.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no contestant '" + name + "'"));
  }
}

package dev.repartee.benchmarks;

import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.peers.Grpc;
import dev.repartee.benchmarks.peers.Helidon;
import dev.repartee.benchmarks.peers.JsonRpc4j;
import dev.repartee.benchmarks.peers.JsonRpc4jServlet;
import dev.repartee.benchmarks.peers.Lsp4j;
import dev.repartee.benchmarks.peers.ReparteePair;
import dev.repartee.benchmarks.peers.ReparteeServer;
import dev.repartee.benchmarks.peers.VscodeJsonRpc;
import dev.repartee.benchmarks.raw.RawHttp;
import dev.repartee.benchmarks.raw.RawLoop;
import dev.repartee.benchmarks.raw.RawNetty;
import dev.repartee.benchmarks.raw.RawSleep;
import dev.repartee.benchmarks.raw.RawThreads;
import dev.repartee.benchmarks.raw.RawWebSocket;
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

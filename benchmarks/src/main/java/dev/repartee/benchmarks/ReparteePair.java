package dev.repartee.benchmarks;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import java.io.IOException;

/** Repartee on both sides: futures on the client's. */
final class ReparteePair implements Contestant {
  @Override
  public String name() {
    return "repartee-pair";
  }

  @Override
  public String about() {
    return "Repartee on both sides, TCP, lines, futures, inline handler";
  }

  @Override
  public boolean plays(Workload workload, Shape shape) {
    return workload == Workload.SUBTRACT || workload.isTyped();
  }

  @Override
  public String limit() {
    return "raw-loop";
  }

  @Override
  public Address serve(Workload workload) throws IOException {
    return Address.port(ReparteeServer.portOf(
        Repartee.listen("tcp://127.0.0.1:0", ReparteeMethods.inline()).endpoint()));
  }

  @Override
  public Client client() {
    return new Driver(ReparteePair::connect);
  }

  private static Driver.Connection connect(Address server, Workload workload) throws IOException {
    Peer peer = Repartee.connect("tcp://127.0.0.1:" + server.port());
    return workload == Workload.SUBTRACT ? new Subtract(peer) : new Echo(peer, workload.document());
  }

  private record Subtract(Peer peer) implements Driver.Connection {
    @Override
    public void call(Driver.Done done) {
      peer.callAsync("subtract", int.class, 42, 23).whenComplete((result, failure) -> {
        if (failure != null) {
          done.done(failure);
        } else {
          done.done(result == 19);
        }
      });
    }

    @Override
    public void close() {
      peer.close();
    }
  }

  private record Echo(Peer peer, Document document) implements Driver.Connection {
    @Override
    public void call(Driver.Done done) {
      peer.callAsync("echo", Document.class, document).whenComplete((result, failure) -> {
        if (failure != null) {
          done.done(failure);
        } else {
          done.done(result.items().size() == document.items().size());
        }
      });
    }

    @Override
    public void close() {
      peer.close();
    }
  }
}

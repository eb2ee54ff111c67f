package dev.repartee.benchmarks;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import java.io.IOException;
import java.util.List;

/** Repartee on both sides: futures on the client's, or threads that wait. */
record ReparteePair(String name, String about, String options, boolean waits)
    implements Contestant {
  private static final String LOW_LATENCY = "#latency=low";

  /** All ways to call. */
  static List<Contestant> all() {
    String both = "Repartee on both sides, TCP, lines, inline handler, ";
    String low = ", #latency=low";
    return List.of(
        new ReparteePair("repartee-pair", both + "futures", "", false),
        new ReparteePair("repartee-pair-spin", both + "futures" + low, LOW_LATENCY, false),
        new ReparteePair("repartee-wait", both + "threads that wait", "", true),
        new ReparteePair(
            "repartee-wait-spin", both + "threads that wait" + low, LOW_LATENCY, true));
  }

  @Override
  public boolean plays(Workload workload, Shape shape) {
    if (workload == Workload.SUBTRACT) {
      return !waits || shape.inFlight() == 1;
    }
    return workload.isTyped() && !waits && options.isEmpty();
  }

  @Override
  public String limit() {
    return "raw-loop";
  }

  @Override
  public Address serve(Workload workload) throws IOException {
    return Address.port(ReparteeServer.portOf(
        Repartee.listen("tcp://127.0.0.1:0" + options, ReparteeMethods.inline()).endpoint()));
  }

  @Override
  public Client client() {
    return new Driver(this::connect);
  }

  private Driver.Connection connect(Address server, Workload workload) throws IOException {
    Peer peer = Repartee.connect("tcp://127.0.0.1:" + server.port() + options);
    if (waits) {
      return new Waiting(peer);
    }
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

  private record Waiting(Peer peer) implements Driver.Connection {
    @Override
    public void call(Driver.Done done) {
      done.done(peer.call("subtract", int.class, 42, 23) == 19);
    }

    @Override
    public boolean blocks() {
      return true;
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

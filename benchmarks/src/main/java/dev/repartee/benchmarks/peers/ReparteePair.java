package dev.repartee.benchmarks.peers;

import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Service;
import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.Document;
import dev.repartee.benchmarks.load.Driver;
import dev.repartee.benchmarks.load.LoadClient;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;
import java.io.IOException;
import java.util.List;

/** Repartee on both sides; the client uses futures or waiting threads. */
public record ReparteePair(String name, String about, String options, boolean waits)
    implements Contestant {
  private static final String TCP = "tcp://127.0.0.1:0";
  private static final String LOW_LATENCY = "#latency=low";

  /** Returns all variants of the client. */
  public static List<Contestant> all() {
    String both = "Repartee on both sides, TCP, lines, inline handler, ";
    String low = ", #latency=low";
    return List.of(
        new ReparteePair("repartee-pair", both + "futures", "", false),
        new ReparteePair("repartee-pair-spin", both + "futures" + low, LOW_LATENCY, false),
        new ReparteePair("repartee-wait", both + "waiting threads", "", true),
        new ReparteePair("repartee-wait-spin", both + "waiting threads" + low, LOW_LATENCY, true));
  }

  @Override
  public boolean plays(Workload workload, Shape shape) {
    if (workload == Workload.SUBTRACT) {
      return !waits || shape.inFlight() == 1;
    }
    boolean usual = !waits && options.isEmpty();
    return usual && !workload.isRaw() && workload != Workload.SLEEP;
  }

  @Override
  public String limit() {
    return "raw-loop";
  }

  @Override
  public Address serve(Workload workload) throws IOException {
    return Address.port(ReparteeServer.portOf(
        ReparteeServer.listenForEach(TCP + options, ReparteeMethods::inline)));
  }

  @Override
  public LoadClient client() {
    return new Driver(this::connect);
  }

  private Driver.Connection connect(Address server, Workload workload) throws IOException {
    Taking notes = new Taking();
    Peer peer = Repartee.connect(
        "tcp://127.0.0.1:" + server.port() + options, Service.of(notes), Options.DEFAULT);
    return switch (workload) {
      case SUBTRACT -> waits ? new Waiting(peer) : new Subtract(peer);
      case NOTIFY -> new Notify(peer);
      case PUSH -> new Push(peer, notes);
      default -> new Echo(peer, workload.document());
    };
  }

  /** Receives the notifications that the server pushes. */
  public static final class Taking {
    private final NotificationCounter notes = new NotificationCounter();

    @Rpc(lane = Lane.INLINE)
    public void note(int minuend, int subtrahend) {
      notes.take();
    }
  }

  private record Notify(Peer peer) implements Driver.Connection {
    @Override
    public void call(Driver.Done done) {
      for (int i = 0; i < Workload.NOTIFICATIONS; i++) {
        peer.notify("note", 42, 23);
      }
      peer.callAsync("noted", int.class).whenComplete((result, failure) -> done.done(failure));
    }

    @Override
    public void close() {
      peer.close();
    }
  }

  private record Push(Peer peer, Taking pushed) implements Driver.Connection {
    @Override
    public void call(Driver.Done done) {
      peer.callAsync("push", int.class, Workload.NOTIFICATIONS)
          .thenAccept(result -> pushed.notes.taken())
          .whenComplete((result, failure) -> done.done(failure));
    }

    @Override
    public void close() {
      peer.close();
    }
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

package dev.repartee.benchmarks.brokers;

import dev.repartee.Lane;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Service;
import dev.repartee.benchmarks.load.Caller;
import dev.repartee.benchmarks.load.Driver;
import java.io.Closeable;
import java.util.concurrent.Semaphore;

/**
 * Repartee on both sides.
 *
 * @param bounds the start of the option that bounds the messages of a worker; empty if there is none
 */
record ReparteeLibrary(String bounds) implements Library {
  private static final int DIFFERENCE = 19;

  /** A method that answers immediately. */
  public static final class Inline {
    @Rpc(lane = Lane.INLINE)
    public int subtract(int minuend, int subtrahend) {
      return minuend - subtrahend;
    }
  }

  /** A method that sleeps before it answers. */
  public static final class Slow {
    private final Semaphore running;

    Slow(int bound) {
      this.running = new Semaphore(bound);
    }

    @Rpc
    public int subtract(int minuend, int subtrahend) throws InterruptedException {
      running.acquire();
      try {
        Library.work();
      } finally {
        running.release();
      }
      return minuend - subtrahend;
    }
  }

  private record PeerCaller(Peer peer) implements Caller {
    @Override
    public boolean call() {
      return peer.call("subtract", int.class, 42, 23) == DIFFERENCE;
    }

    @Override
    public void call(Driver.Done done) {
      peer.callAsync("subtract", int.class, 42, 23)
          .whenComplete(done.expecting(result -> result == DIFFERENCE));
    }

    @Override
    public void close() {
      peer.close();
    }
  }

  @Override
  public Caller connect(String uri) throws Exception {
    return new PeerCaller(Repartee.connect(uri));
  }

  @Override
  public Closeable serve(String uri, int bound) throws Exception {
    String at = bounds.isEmpty() || bound == 0 ? uri : uri + bounds + bound;
    return Repartee.listen(at, Service.of(bound == 0 ? new Inline() : new Slow(bound)))::close;
  }
}

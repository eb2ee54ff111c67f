package dev.repartee.envelopes;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.message.Dialect;
import dev.repartee.testkit.ScriptedPeer;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.ChannelPair;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A peer with the dialect under test, and its other end, which the test plays frame by frame. */
final class Talk implements AutoCloseable {
  final Peer peer;
  final ScriptedPeer other;
  private final BlockingQueue<String> violations = new LinkedBlockingQueue<>();

  private Talk(Dialect dialect, Service service, Options given, boolean serves) {
    Options options =
        given.toBuilder().dialect(dialect).listener(new Violations()).build();
    ChannelPair pair = ChannelPair.open(options.limits());
    peer = Peer.open(serves ? pair.server() : pair.client(), service, options);
    other = ScriptedPeer.on(serves ? pair.client() : pair.server());
  }

  static Talk withServer(Dialect dialect, Service service) {
    return withServer(dialect, service, Options.DEFAULT);
  }

  static Talk withServer(Dialect dialect, Service service, Options options) {
    return new Talk(dialect, service, options, true);
  }

  static Talk withClient(Dialect dialect) {
    return new Talk(dialect, Service.NONE, Options.DEFAULT, false);
  }

  /** Returns the next reason that the listener got. */
  String violation() throws InterruptedException {
    String next = violations.poll(60, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError("no violation was reported");
    }
    return next;
  }

  @Override
  public void close() {
    other.close();
    peer.close();
  }

  private final class Violations implements Listener {
    @Override
    public void violation(ChannelInfo channel, String what) {
      violations.add(what);
    }
  }
}

package dev.repartee.testkit;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Service;

/** A peer in memory and the other end, played by the test. */
record Link(Peer peer, ScriptedPeer other) implements AutoCloseable {
  static Link open(Service service, Options options) {
    var pair = dev.repartee.ChannelPair.create(options.limits());
    return new Link(Peer.open(pair.first(), service, options), ScriptedPeer.on(pair.second()));
  }

  @Override
  public void close() {
    peer.close(java.time.Duration.ofSeconds(1));
    other.close();
  }
}

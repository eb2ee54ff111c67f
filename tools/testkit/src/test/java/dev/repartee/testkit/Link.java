package dev.repartee.testkit;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.transport.ChannelPair;

/** A peer in memory, and its other end controlled by the test. */
record Link(Peer peer, ScriptedPeer other) implements AutoCloseable {
  static Link open(Service service, Options options) {
    ChannelPair pair = ChannelPair.open(options.limits());
    return new Link(Peer.open(pair.server(), service, options), ScriptedPeer.on(pair.client()));
  }

  @Override
  public void close() {
    peer.close(java.time.Duration.ofSeconds(1));
    other.close();
  }
}

package dev.repartee.transport;

import dev.repartee.limits.Limits;

/**
 * Two connected channels inside this process: for tests, and for a client and a service in the same
 * process. Frames are passed on without framing, in order, on another thread than the sender's.
 *
 * @param client one end of the connection
 * @param server the other end
 */
public record ChannelPair(Channel client, Channel server) {
  /**
   * Returns two connected channels, each to be started by a {@link dev.repartee.Peer}.
   *
   * @param limits the limits, of which {@link Limits#frameBytes}, {@link Limits#outboundBytes} and
   *     {@link Limits#drainTimeout} apply
   */
  public static ChannelPair open(Limits limits) {
    return MemoryChannel.pair("pair", limits, () -> {});
  }
}

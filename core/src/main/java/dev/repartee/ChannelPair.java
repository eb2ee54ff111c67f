package dev.repartee;

/**
 * Two channels inside this process that are each other's other end: for tests, and for a client and a
 * service that live together. Frames are handed over as they are, in order, by another thread than
 * the sender's.
 *
 * @param client one end
 * @param server the other
 */
public record ChannelPair(Channel client, Channel server) {
  /**
   * Two ends, to be started by a {@link Peer} each. Of the limits they heed {@link Limits#frameBytes},
   * {@link Limits#outboundBytes} and {@link Limits#drainTimeout}.
   */
  public static ChannelPair open(Limits limits) {
    return MemoryChannel.pair("pair", limits, () -> {});
  }
}

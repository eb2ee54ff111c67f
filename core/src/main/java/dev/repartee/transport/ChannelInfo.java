package dev.repartee.transport;

import dev.repartee.framing.Framing;

/**
 * The description of a channel for people. The texts may change with any release.
 *
 * @param transport the scheme of the URI, such as {@code tcp}, {@code unix}, {@code stdio}, {@code
 *     exec}
 * @param remote the peer: an address, a path or the name of a program; empty if the transport has
 *     none
 * @param framing the {@linkplain Framing#label() name} of the framing; {@code message} if the
 *     transport itself separates messages
 */
public record ChannelInfo(String transport, String remote, String framing) {
  /** Returns the name of the peer for error messages. */
  public String other() {
    return remote.isEmpty() ? transport : remote;
  }
}

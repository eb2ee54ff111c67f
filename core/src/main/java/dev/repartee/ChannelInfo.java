package dev.repartee;

/**
 * What a channel is, for people to read: the texts may change with the release.
 *
 * @param transport the scheme of its URI: {@code tcp}, {@code unix}, {@code stdio}, {@code exec}
 * @param remote the other end: an address, a path, a command; empty where there is nothing to say
 * @param framing how messages stand in it, or {@code message} where the transport keeps them apart
 */
public record ChannelInfo(String transport, String remote, String framing) {
  /** The other end, as sentences name it. */
  String other() {
    return remote.isEmpty() ? transport : remote;
  }
}

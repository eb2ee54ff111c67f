package dev.repartee;

import java.util.Set;

/**
 * How the sockets of one endpoint are used.
 *
 * @param framing how messages stand in their bytes
 * @param limits the bounds
 * @param lowLatency whether to look for what comes without sleeping at once: {@code #latency=low}
 */
record SocketMode(Framing framing, Limits limits, boolean lowLatency) {
  /** The option keys it is read from, besides those that all transports share. */
  static final Set<String> OPTIONS = Set.of("latency");

  private static final String LOW = "low";
  private static final String NORMAL = "normal";

  /**
   * What the endpoint asks for, with that framing if it does not say.
   *
   * @throws IllegalArgumentException if it asks for what there is not
   */
  static SocketMode of(Endpoint endpoint, Framing otherwise, Limits limits) {
    String latency = endpoint.option("latency", NORMAL);
    if (!latency.equals(LOW) && !latency.equals(NORMAL)) {
      throw new IllegalArgumentException(
          "'" + endpoint + "' has the unknown latency '" + latency + "'; known are low, normal");
    }
    return new SocketMode(Transports.framing(endpoint, otherwise), limits, latency.equals(LOW));
  }
}

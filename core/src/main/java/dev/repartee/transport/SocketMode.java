package dev.repartee.transport;

import dev.repartee.framing.Framing;
import dev.repartee.limits.Limits;
import java.util.Set;

/**
 * The settings of the sockets of one endpoint.
 *
 * @param framing the framing of messages on the byte stream
 * @param limits the limits of a connection
 * @param lowLatency whether reading spins before it blocks; set by {@code #latency=low}
 */
record SocketMode(Framing framing, Limits limits, boolean lowLatency) {
  /** The option keys of this type, in addition to those that all transports share. */
  static final Set<String> OPTIONS = Set.of("latency");

  private static final String LOW = "low";
  private static final String NORMAL = "normal";

  /**
   * Returns the settings that the options of an endpoint ask for.
   *
   * @param otherwise the framing if the endpoint does not name one
   * @throws IllegalArgumentException if an option has an unknown value
   */
  static SocketMode of(Endpoint endpoint, Framing otherwise, Limits limits) {
    String latency = endpoint.option("latency", NORMAL);
    if (!latency.equals(LOW) && !latency.equals(NORMAL)) {
      throw new IllegalArgumentException(
          "'" + endpoint + "' has the unknown latency '" + latency + "'; known are low, normal");
    }
    return new SocketMode(endpoint.framing(otherwise), limits, latency.equals(LOW));
  }
}

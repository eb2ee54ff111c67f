package dev.repartee.zeromq;

import dev.repartee.transport.Endpoint;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a {@code zmq+tcp:} endpoint.
 *
 * @param host a name or an address; IPv6 in brackets
 * @param port the port; 0 for a free port
 */
record ZmqAddress(String host, int port) {
  private static final Pattern FORM =
      Pattern.compile("//(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+):([0-9]{1,5})/?");

  /**
   * Parses the address of an endpoint.
   *
   * @param least the lowest port that is allowed
   * @throws IllegalArgumentException if it has another form; the message shows the right one
   */
  static ZmqAddress of(Endpoint endpoint, int least) {
    Matcher parts = FORM.matcher(endpoint.address());
    int port = parts.matches() ? Integer.parseInt(parts.group(2)) : -1;
    if (port < least || port > 0xFFFF) {
      throw new IllegalArgumentException("'" + endpoint.shown() + "' is not of the form "
          + endpoint.scheme() + "://HOST:PORT with a port between " + least + " and 65535, such as "
          + endpoint.scheme() + "://127.0.0.1:5555");
    }
    return new ZmqAddress(parts.group(1), port);
  }

  boolean isIpv6() {
    return host.startsWith("[");
  }

  ZmqAddress at(int otherPort) {
    return new ZmqAddress(host, otherPort);
  }

  /** Returns the endpoint of ZeroMQ. */
  String toZmq() {
    return "tcp://" + host + ":" + (port == 0 ? "*" : port);
  }

  /** Returns host and port for messages. */
  String name() {
    return host + ":" + port;
  }
}

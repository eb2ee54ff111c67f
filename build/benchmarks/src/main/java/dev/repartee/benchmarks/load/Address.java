package dev.repartee.benchmarks.load;

import dev.repartee.transport.Endpoint;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnixDomainSocketAddress;

/**
 * The address of a server.
 *
 * @param process the id of its process
 * @param place a port of the loopback, or the path of a Unix socket
 */
public record Address(long process, String place) {
  /** Makes the address of a server in this process. */
  public Address(String place) {
    this(ProcessHandle.current().pid(), place);
  }

  /** Returns the address of a server in this process, on a port of the loopback. */
  public static Address port(int port) {
    return new Address(Integer.toString(port));
  }

  /** Returns the address of a server of Repartee in this process, on a port of the loopback. */
  public static Address at(Endpoint endpoint) {
    return port(URI.create(endpoint.bare().toString()).getPort());
  }

  /** Parses the output of {@link #text}. */
  public static Address of(String text) {
    int at = text.indexOf('@');
    return new Address(Long.parseLong(text.substring(0, at)), text.substring(at + 1));
  }

  public String text() {
    return process + "@" + place;
  }

  boolean isUnix() {
    return place.startsWith("/");
  }

  public int port() {
    return Integer.parseInt(place);
  }

  SocketAddress socket() {
    return isUnix()
        ? UnixDomainSocketAddress.of(place)
        : new InetSocketAddress(InetAddress.getLoopbackAddress(), port());
  }
}

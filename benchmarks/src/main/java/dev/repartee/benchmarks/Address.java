package dev.repartee.benchmarks;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;

/**
 * Where a server listens.
 *
 * @param process its process
 * @param place a port of the loopback, or the path of a Unix socket
 */
record Address(long process, String place) {
  /** A place at which this process listens. */
  Address(String place) {
    this(ProcessHandle.current().pid(), place);
  }

  /** A port at which this process listens. */
  static Address port(int port) {
    return new Address(Integer.toString(port));
  }

  /** Reads what {@link #text} wrote. */
  static Address of(String text) {
    int at = text.indexOf('@');
    return new Address(Long.parseLong(text.substring(0, at)), text.substring(at + 1));
  }

  String text() {
    return process + "@" + place;
  }

  boolean isUnix() {
    return place.startsWith("/");
  }

  int port() {
    return Integer.parseInt(place);
  }

  SocketAddress socket() {
    return isUnix()
        ? UnixDomainSocketAddress.of(place)
        : new InetSocketAddress(InetAddress.getLoopbackAddress(), port());
  }
}

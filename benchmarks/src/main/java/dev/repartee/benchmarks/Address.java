package dev.repartee.benchmarks;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;

/** Where a server listens: a port of the loopback, or the path of a Unix socket. */
record Address(String text) {
  static Address port(int port) {
    return new Address(Integer.toString(port));
  }

  boolean isUnix() {
    return text.startsWith("/");
  }

  int port() {
    return Integer.parseInt(text);
  }

  SocketAddress socket() {
    return isUnix()
        ? UnixDomainSocketAddress.of(text)
        : new InetSocketAddress(InetAddress.getLoopbackAddress(), port());
  }
}

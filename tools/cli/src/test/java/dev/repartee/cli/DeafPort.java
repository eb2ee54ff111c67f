package dev.repartee.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A TCP port of 127.0.0.1 that refuses connections and is not available to other programs. */
final class DeafPort implements AutoCloseable {
  private final Socket bound = new Socket(); // it does not listen

  DeafPort() throws IOException {
    bound.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
  }

  int number() {
    return bound.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    bound.close();
  }
}

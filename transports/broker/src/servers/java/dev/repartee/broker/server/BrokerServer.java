package dev.repartee.broker.server;

import java.io.IOException;

/**
 * An installed broker, which runs on loopback with a folder and ports of its own. It ends with the
 * JVM at the latest.
 */
public interface BrokerServer extends AutoCloseable {
  /** Returns the URI of a service at this broker. */
  String uri(String service);

  /**
   * Returns the URI at which a worker serves, if it differs from that of the clients.
   *
   * @param worker tells the workers of the service apart, from 0
   */
  default String uri(String service, int worker) {
    return uri(service);
  }

  /** Returns the port for clients without TLS. */
  int port();

  /** Starts the server again on the same port, and waits until it takes connections. */
  void start() throws IOException, InterruptedException;

  /** Kills the server, as a loss of power does. */
  void kill() throws InterruptedException;

  /**
   * Sends a signal to the server. After {@code STOP} it keeps its connections, and neither reads nor
   * answers, until {@code CONT}.
   */
  void signal(String name) throws IOException, InterruptedException;

  /** Kills the server, and deletes its folder. */
  @Override
  void close() throws IOException;
}

package dev.repartee.broker.server;

import java.io.IOException;

/**
 * An installed broker, which runs on loopback with its own folder and ports. It ends with the JVM
 * at the latest.
 */
public interface BrokerServer extends AutoCloseable {
  /** Returns the URI of a service at this broker. */
  String uri(String service);

  /**
   * Returns the URI that a worker serves, if it differs from the URI of the clients.
   *
   * @param worker the number of the worker, from 0
   */
  default String uri(String service, int worker) {
    return uri(service);
  }

  /** Returns the port for clients without TLS. */
  int port();

  /** Starts the server again on the same port, and waits until it accepts connections. */
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

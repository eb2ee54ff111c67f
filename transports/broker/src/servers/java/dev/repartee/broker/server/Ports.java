package dev.repartee.broker.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Ports for servers that cannot choose a free one, or that start again on the same one. */
public final class Ports {
  /**
   * The range of the ports. Systems choose those of connections from higher ones, from 32,768 on, so
   * that any process could take a port there until its server binds it.
   */
  private static final int FIRST = 20_000;

  private static final int COUNT = 12_000;
  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

  private Ports() {}

  /** Returns a port of loopback on which nobody listens; each call returns another one. */
  public static int free() {
    for (int i = 0; i < COUNT; i++) {
      int port = FIRST + NEXT.getAndIncrement() % COUNT;
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (BindException e) {
        // It is in use.
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    throw new IllegalStateException(
        "all ports from " + FIRST + " to " + (FIRST + COUNT - 1) + " are in use; end some servers");
  }
}

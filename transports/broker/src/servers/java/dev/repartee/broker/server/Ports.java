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
   * The first port. Operating systems choose the ports of connections from 32,768 upwards; any
   * process could use a port there before the server binds it.
   */
  private static final int FIRST = 20_000;

  private static final int COUNT = 12_000;
  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

  private Ports() {}

  /** Returns an unused port of loopback; each call returns another one. */
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

package dev.repartee.zeromq;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.zeromq.ZMQ;

/**
 * Waits for input of sockets. For the thread that owns them.
 *
 * <p>The poller of JeroMQ spins if the thread that signals input is preempted between the two steps
 * of its signal. If both threads share a CPU, it spins for the rest of a time slice, some
 * milliseconds. This poller yields the CPU, so that the other thread can make its second step.
 */
final class SocketPoller implements AutoCloseable {
  private final Selector selector;
  private final List<ZMQ.Socket> sockets = new ArrayList<>();

  /**
   * Opens a poller without sockets.
   *
   * @throws IOException if the process has too many open files
   */
  SocketPoller() throws IOException {
    this.selector = Selector.open();
  }

  void register(ZMQ.Socket socket) {
    try {
      socket.getFD().register(selector, SelectionKey.OP_READ);
    } catch (ClosedChannelException e) {
      throw new UncheckedIOException(e);
    }
    sockets.add(socket);
  }

  void unregister(ZMQ.Socket socket) {
    if (sockets.remove(socket)) {
      socket.getFD().keyFor(selector).cancel();
    }
  }

  /**
   * Waits until a socket has input, or the time has passed.
   *
   * @param millis the maximum time in milliseconds; negative for no limit
   */
  void poll(long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    long left = millis;
    while (!hasInput() && left != 0) {
      if (select(left) > 0) {
        selector.selectedKeys().clear();
        if (hasInput()) {
          return;
        }
        Thread.yield();
      }
      if (millis > 0) {
        left = Math.max(0, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
      }
    }
  }

  private int select(long millis) {
    try {
      return millis < 0 ? selector.select() : selector.select(millis);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean hasInput() {
    for (ZMQ.Socket socket : sockets) {
      if ((socket.getEvents() & ZMQ.Poller.POLLIN) != 0) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() {
    try {
      selector.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package dev.repartee.nats;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** Forwards connections to a port of this machine, and can cut them. */
final class Proxy implements AutoCloseable {
  private final ServerSocket listening;
  private final int to;

  /** The muted sockets: their bytes are dropped. */
  private final Set<Socket> muted = ConcurrentHashMap.newKeySet();

  private volatile CountDownLatch gate = new CountDownLatch(0);
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final List<Socket> fromServer = new CopyOnWriteArrayList<>();

  Proxy(int to) throws IOException {
    this.to = to;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(() -> {
      while (true) {
        Socket from = listening.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), this.to);
        sockets.addAll(List.of(from, server));
        fromServer.add(server);
        start(() -> pass(from, server, false));
        start(() -> pass(server, from, true));
      }
    });
  }

  private interface Task {
    void run() throws IOException, InterruptedException;
  }

  private static void start(Task task) {
    Thread thread = new Thread(
        () -> {
          try {
            task.run();
          } catch (IOException | InterruptedException e) {
            // It was cut or closed.
          }
        },
        "proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private void pass(Socket from, Socket to, boolean isAnswer)
      throws IOException, InterruptedException {
    byte[] buffer = new byte[1 << 13];
    try (from;
        to) {
      for (int n = from.getInputStream().read(buffer);
          n >= 0;
          n = from.getInputStream().read(buffer)) {
        if (!isAnswer) {
          gate.await();
        }
        if (!muted.contains(from)) {
          to.getOutputStream().write(buffer, 0, n);
        }
      }
    }
  }

  /** Drops the bytes that the server sends over the current connections. */
  void mute() {
    muted.addAll(fromServer);
  }

  /** Reads nothing that is sent to the server, until the latch opens. */
  void stall(CountDownLatch until) {
    gate = until;
  }

  int port() {
    return listening.getLocalPort();
  }

  /** Ends all connections; accepts new ones. */
  void cut() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    cut();
  }
}

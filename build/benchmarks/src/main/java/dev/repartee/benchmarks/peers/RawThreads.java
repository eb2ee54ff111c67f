package dev.repartee.benchmarks.peers;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.VirtualThreads;
import dev.repartee.benchmarks.load.Workload;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Executor;

/** A raw echo with a blocking virtual thread for each connection. */
final class RawThreads {
  private static final int BUFFER = 64 << 10;

  private RawThreads() {}

  static Address serve(Workload workload) throws Exception {
    Executor threads = VirtualThreads.executor();
    ServerSocket server = new ServerSocket(0, 1_024, InetAddress.getLoopbackAddress());
    RawAnswers answers = new RawAnswers(workload);
    new Thread(() -> accept(server, threads, answers), "accept").start();
    return Address.port(server.getLocalPort());
  }

  private static void accept(ServerSocket server, Executor threads, RawAnswers answers) {
    try {
      while (true) {
        Socket socket = server.accept();
        socket.setTcpNoDelay(true);
        threads.execute(() -> answer(socket, answers));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void answer(Socket socket, RawAnswers answers) {
    RawAnswers.Debt debt = answers.debt();
    byte[] buffer = new byte[BUFFER];
    try (socket) {
      InputStream in = socket.getInputStream();
      OutputStream out = socket.getOutputStream();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        debt.received(count);
        for (int most = debt.most(); most > 0; most = debt.most()) {
          out.write(answers.block(), debt.at(), most);
          debt.sent(most);
        }
      }
    } catch (IOException e) {
      // The client has disconnected.
    }
  }
}

package dev.repartee.benchmarks.raw;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.LoadClient;
import dev.repartee.benchmarks.load.LoadGenerator;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.WireFormat;
import dev.repartee.benchmarks.load.Workload;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** A raw echo with a blocking virtual thread for each connection. */
public final class RawThreads implements Contestant {
  private static final int BUFFER = 64 << 10;

  @Override
  public String name() {
    return "raw-threads";
  }

  @Override
  public String about() {
    return "a raw echo on blocking virtual threads";
  }

  @Override
  public boolean plays(Workload workload, Shape shape) {
    return workload == Workload.SUBTRACT;
  }

  @Override
  public String limit() {
    return "raw-loop";
  }

  @Override
  public @Nullable String lacks(int jdk) {
    return jdk < 21 ? "JDK 21 or newer" : null;
  }

  @Override
  public LoadClient client() {
    return new LoadGenerator(WireFormat.LINES);
  }

  @Override
  public Address serve(Workload workload) throws Exception {
    Executor threads =
        (Executor) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
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

package dev.repartee.benchmarks;

import dev.repartee.benchmarks.Driver.Connection;
import dev.repartee.benchmarks.Driver.Done;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.eclipse.lsp4j.jsonrpc.Launcher;
import org.eclipse.lsp4j.jsonrpc.services.JsonRequest;

/** Eclipse LSP4J on both sides: buffered streams, TCP_NODELAY, a thread for each connection. */
final class Lsp4j implements Contestant {
  /** It reports each closed connection at length. Kept, since loggers nobody keeps forget. */
  private static final Logger LOGGER = Logger.getLogger("org.eclipse.lsp4j.jsonrpc");

  static {
    LOGGER.setLevel(Level.OFF);
  }

  /** What is served, as LSP4J wants it written. */
  public interface Calls {
    /** Two small numbers there, one back. */
    @JsonRequest
    CompletableFuture<Integer> subtract(int minuend, int subtrahend);

    /** A document bound and written again. */
    @JsonRequest
    CompletableFuture<Document> echo(Document document);
  }

  /** Serves them. */
  static final class Served implements Calls {
    @Override
    public CompletableFuture<Integer> subtract(int minuend, int subtrahend) {
      return CompletableFuture.completedFuture(minuend - subtrahend);
    }

    @Override
    public CompletableFuture<Document> echo(Document document) {
      return CompletableFuture.completedFuture(document);
    }
  }

  @Override
  public String name() {
    return "lsp4j";
  }

  @Override
  public String about() {
    return "Eclipse LSP4J on both sides, futures, Gson";
  }

  @Override
  public boolean plays(Workload workload, Shape shape) {
    return workload == Workload.SUBTRACT || workload.isTyped();
  }

  @Override
  public String limit() {
    return "raw-loop";
  }

  @Override
  public Address serve(Workload workload) throws IOException {
    ServerSocket server = new ServerSocket(0, 1_024, InetAddress.getLoopbackAddress());
    new Thread(() -> accept(server), "accept").start();
    return Address.port(server.getLocalPort());
  }

  private static void accept(ServerSocket server) {
    try {
      while (true) {
        launch(server.accept(), new Served());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Calls launch(Socket socket, Object service) throws IOException {
    socket.setTcpNoDelay(true);
    Launcher<Calls> launcher = new Launcher.Builder<Calls>()
        .setLocalService(service)
        .setRemoteInterface(Calls.class)
        .setInput(new BufferedInputStream(socket.getInputStream()))
        .setOutput(new BufferedOutputStream(socket.getOutputStream()))
        .create();
    launcher.startListening();
    return launcher.getRemoteProxy();
  }

  @Override
  public Client client() {
    return new Driver(Lsp4j::connect);
  }

  private static Connection connect(Address server, Workload workload) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    Calls calls = launch(socket, new Object());
    return workload == Workload.SUBTRACT
        ? new Subtract(socket, calls)
        : new Echo(socket, calls, workload.document());
  }

  private record Subtract(Socket socket, Calls calls) implements Connection {
    @Override
    public void call(Done done) {
      calls.subtract(42, 23).whenComplete((result, failure) -> {
        if (failure != null) {
          done.done(failure);
        } else {
          done.done(result == 19);
        }
      });
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private record Echo(Socket socket, Calls calls, Document document) implements Connection {
    @Override
    public void call(Done done) {
      calls.echo(document).whenComplete((result, failure) -> {
        if (failure != null) {
          done.done(failure);
        } else {
          done.done(result.items().size() == document.items().size());
        }
      });
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}

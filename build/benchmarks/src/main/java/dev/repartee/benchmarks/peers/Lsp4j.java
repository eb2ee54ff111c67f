package dev.repartee.benchmarks.peers;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Document;
import dev.repartee.benchmarks.load.Driver.Connection;
import dev.repartee.benchmarks.load.Workload;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.eclipse.lsp4j.jsonrpc.Endpoint;
import org.eclipse.lsp4j.jsonrpc.Launcher;
import org.eclipse.lsp4j.jsonrpc.json.MessageJsonHandler;
import org.eclipse.lsp4j.jsonrpc.messages.RequestMessage;
import org.eclipse.lsp4j.jsonrpc.messages.ResponseMessage;
import org.eclipse.lsp4j.jsonrpc.services.JsonNotification;
import org.eclipse.lsp4j.jsonrpc.services.JsonRequest;
import org.eclipse.lsp4j.jsonrpc.services.ServiceEndpoints;
import org.jspecify.annotations.Nullable;

/** Eclipse LSP4J on both sides: buffered streams, TCP_NODELAY, a thread for each connection. */
public final class Lsp4j {
  /**
   * LSP4J logs each closed connection at length. Referenced, since the JDK holds loggers weakly.
   */
  private static final Logger LOGGER = Logger.getLogger("org.eclipse.lsp4j.jsonrpc");

  static {
    LOGGER.setLevel(Level.OFF);
  }

  /** The notification that both sides may send. */
  public interface Noting {
    /** Takes two small numbers; no answer. */
    @JsonNotification
    void note(int minuend, int subtrahend);
  }

  /** The served methods, in the form that LSP4J requires. */
  public interface Calls extends Noting {
    /** Returns the difference of two small numbers. */
    @JsonRequest
    CompletableFuture<Integer> subtract(int minuend, int subtrahend);

    /** Returns the document, which is bound and written again. */
    @JsonRequest
    CompletableFuture<Document> echo(Document document);

    /** Returns the number of received notifications. */
    @JsonRequest
    CompletableFuture<Integer> noted();

    /** Requests notifications. */
    @JsonRequest
    CompletableFuture<Integer> push(int count);
  }

  /** Counts the notifications that one side received. */
  private static final class Taking implements Noting {
    final NotificationCounter notes = new NotificationCounter();

    @Override
    public void note(int minuend, int subtrahend) {
      notes.take();
    }
  }

  /** Serves the methods. */
  public static final class Served implements Calls {
    private final NotificationCounter notes = new NotificationCounter();
    private volatile @Nullable Noting client;

    void connected(Noting client) {
      this.client = client;
    }

    @Override
    public void note(int minuend, int subtrahend) {
      notes.take();
    }

    @Override
    public CompletableFuture<Integer> noted() {
      return CompletableFuture.completedFuture(notes.taken());
    }

    @Override
    public CompletableFuture<Integer> push(int count) {
      Noting to = Objects.requireNonNull(client);
      for (int i = 0; i < count; i++) {
        to.note(42, 23);
      }
      return CompletableFuture.completedFuture(count);
    }

    @Override
    public CompletableFuture<Integer> subtract(int minuend, int subtrahend) {
      return CompletableFuture.completedFuture(minuend - subtrahend);
    }

    @Override
    public CompletableFuture<Document> echo(Document document) {
      return CompletableFuture.completedFuture(document);
    }
  }

  private Lsp4j() {}

  static Address serve() throws IOException {
    ServerSocket server = new ServerSocket(0, 1_024, InetAddress.getLoopbackAddress());
    new Thread(() -> accept(server), "accept").start();
    return Address.port(server.getLocalPort());
  }

  private static void accept(ServerSocket server) {
    try {
      while (true) {
        Served served = new Served();
        Launcher<Noting> launcher = launcher(server.accept(), served, Noting.class);
        served.connected(launcher.getRemoteProxy());
        launcher.startListening();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static <T> Launcher<T> launcher(Socket socket, Object service, Class<T> remote)
      throws IOException {
    socket.setTcpNoDelay(true);
    return new Launcher.Builder<T>()
        .setLocalService(service)
        .setRemoteInterface(remote)
        .setInput(new BufferedInputStream(socket.getInputStream()))
        .setOutput(new BufferedOutputStream(socket.getOutputStream()))
        .create();
  }

  static Connection connect(Address server, Workload workload) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    Taking pushed = new Taking();
    Launcher<Calls> launcher = launcher(socket, pushed, Calls.class);
    launcher.startListening();
    Calls calls = launcher.getRemoteProxy();
    return switch (workload) {
      case SUBTRACT ->
        Connection.of(
            socket,
            done -> calls
                .subtract(42, 23)
                .whenComplete(done.expecting(difference -> difference == 19)));
      case NOTIFY ->
        Connection.of(socket, done -> {
          for (int i = 0; i < Workload.NOTIFICATIONS; i++) {
            calls.note(42, 23);
          }
          calls.noted().whenComplete(done.expecting(noted -> true));
        });
      case PUSH ->
        Connection.of(
            socket,
            done -> calls
                .push(Workload.NOTIFICATIONS)
                .thenApply(count -> pushed.notes.taken())
                .whenComplete(done.expecting(taken -> true)));
      default -> {
        Document document = workload.document();
        yield Connection.of(
            socket,
            done -> calls.echo(document).whenComplete(done.expecting(document::isAsLongAs)));
      }
    };
  }

  /** Answers requests without a transport: binds with Gson and dispatches by reflection. */
  public static final class WithoutTransport {
    private final MessageJsonHandler gson =
        new MessageJsonHandler(ServiceEndpoints.getSupportedMethods(Calls.class));
    private final Endpoint endpoint = ServiceEndpoints.toEndpoint(new Served());

    /** Returns the bytes of the answer. */
    public byte[] answer(byte[] bytes) {
      RequestMessage request = (RequestMessage) gson.parseMessage(new String(bytes, UTF_8));
      ResponseMessage answer = new ResponseMessage();
      answer.setRawId(request.getRawId());
      answer.setResult(
          endpoint.request(request.getMethod(), request.getParams()).join());
      return gson.serialize(answer).getBytes(UTF_8);
    }
  }
}

package dev.repartee.dap;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.PeerFactory;
import dev.repartee.Repartee;
import dev.repartee.RpcMethod;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.dap.handlers.InitializeHandler;
import dev.repartee.envelopes.Dap;
import dev.repartee.internal.Threads;
import dev.repartee.json.UnknownMembers;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves debug clients in the order of DAP. An object handles the requests: it implements
 * interfaces of {@link dev.repartee.dap.handlers}.
 *
 * <pre>{@code
 * public static void main(String[] args) throws Exception {
 *   DapServer.run(new MyAdapter());
 * }
 * }</pre>
 *
 * <p>The object implements at least {@link InitializeHandler}, and {@link DapSessionAware} to send
 * events. This class ensures the order of the protocol:
 *
 * <ul>
 *   <li>Requests before the answer to {@code initialize}, and a second {@code initialize}, are
 *       refused. Events that are sent before that answer follow it.
 *   <li>If the adapter has announced {@code supportsConfigurationDoneRequest}, the answer to
 *       {@code launch} and {@code attach} follows the answer to {@code configurationDone}. Other
 *       requests do not wait for them.
 *   <li>{@code stopped}, {@code exited} and {@code terminated} follow the answer to the request
 *       that has resumed the debuggee.
 *   <li>{@code cancel} is announced and served: the request is answered with {@code cancelled}, and
 *       its {@link dev.repartee.Call#cancellation} or a {@link Progress} is cancelled.
 *   <li>{@code disconnect} needs no handler; its answer ends the connection.
 * </ul>
 *
 * <p>The methods of the object run on several threads: {@code initialize},
 * {@code configurationDone} and the requests that set breakpoints run in order, one at a time;
 * other requests run in parallel after them. If the object is {@link AutoCloseable}, it is closed
 * when its connection has ended, with or without {@code disconnect}.
 *
 * <p><b>A debug adapter runs programs for its clients.</b> Listen only at addresses that are
 * restricted to trusted clients.
 */
public final class DapServer {
  private DapServer() {}

  /**
   * Returns options for DAP, to be changed and passed to the other methods: unknown members are
   * ignored. With these options the URI must not contain an envelope.
   */
  public static Options.Builder options() {
    return Options.builder()
        .dialect(new Dap())
        .unknownParams(UnknownMembers.IGNORE)
        .builtins(Options.Builtin.CANCEL);
  }

  /**
   * Serves the client that has started this process, over standard input and output, until the
   * connection ends.
   *
   * @param adapter the object with the handlers
   * @throws IllegalArgumentException if the object is no {@link InitializeHandler}, or has a method
   *     that cannot be served
   * @throws InterruptedException if the thread is interrupted; then the connection is closed
   */
  public static void run(Object adapter) throws IOException, InterruptedException {
    run("stdio:", adapter, options().build());
  }

  /**
   * Serves one client until the connection ends: for {@code stdio:} the client that has started
   * this process, otherwise a client that listens.
   *
   * @param options the options, made by {@link #options}
   * @throws IOException if the client cannot be reached
   * @throws IllegalArgumentException if the object is no {@link InitializeHandler}, or has a method
   *     that cannot be served
   * @throws InterruptedException if the thread is interrupted; then the connection is closed
   */
  public static void run(String uri, Object adapter, Options options)
      throws IOException, InterruptedException {
    Service service = service(adapter);
    try (Peer peer = Repartee.connect(uri, service, new Lifecycle(adapter).in(options))) {
      CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
      peer.closed().whenComplete((closed, cause) -> over.complete(null));
      over.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e); // the future never fails
    } finally {
      close(adapter);
    }
  }

  /**
   * Listens for clients. Each connection is a session with its own adapter object.
   *
   * @param adapters creates the object for a new connection; must not block
   * @param options the options, made by {@link #options}
   * @throws IOException if the address cannot be bound
   */
  public static Server listen(String uri, Supplier<?> adapters, Options options)
      throws IOException {
    PeerFactory factory = channel -> {
      Object adapter = adapters.get();
      Peer peer = Peer.open(channel, service(adapter), new Lifecycle(adapter).in(options));
      peer.closed().whenComplete((closed, cause) -> closeAside(adapter));
      return peer;
    };
    return Repartee.listen(uri, factory, options);
  }

  /**
   * Closes an adapter on a separate thread. It may wait for the debuggee for a long time: on the
   * thread that reads, or in a common pool, this would block other connections or adapters.
   */
  private static void closeAside(Object adapter) {
    if (adapter instanceof AutoCloseable) {
      Threads.start("repartee-dap-close", () -> close(adapter));
    }
  }

  private static void close(Object adapter) {
    if (adapter instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        System.getLogger("dev.repartee")
            .log(System.Logger.Level.WARNING, "closing the debug adapter failed", e);
      }
    }
  }

  private static Service service(Object adapter) {
    if (!(adapter instanceof InitializeHandler)) {
      throw new IllegalArgumentException(adapter.getClass().getTypeName()
          + " cannot be a debug adapter: it does not implement "
          + InitializeHandler.class.getName());
    }
    return withDefault(Service.of(adapter), "disconnect");
  }

  /**
   * Returns the service, with an added method that does nothing unless it has a method of that
   * name.
   */
  static Service withDefault(Service own, String method) {
    return own.find(method) != null
        ? own
        : Service.builder()
            .all(own)
            .add(RpcMethod.builder(method).handler(call -> null))
            .build();
  }
}

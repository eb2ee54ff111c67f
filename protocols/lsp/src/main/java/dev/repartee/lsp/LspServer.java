package dev.repartee.lsp;

import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.PeerFactory;
import dev.repartee.Repartee;
import dev.repartee.RpcMethod;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.UnknownMembers;
import dev.repartee.lsp.handlers.InitializeHandler;
import dev.repartee.transport.Lenience;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/**
 * Serves language clients in the lifecycle of LSP. An object handles the messages: it implements
 * interfaces of {@link dev.repartee.lsp.handlers}.
 *
 * <pre>{@code
 * public static void main(String[] args) throws Exception {
 *   System.exit(LspServer.run(new MyServer()));
 * }
 * }</pre>
 *
 * <p>The object implements at least {@link InitializeHandler}. The lifecycle is kept for it: before
 * {@code initialize} requests are answered -32002 and notifications are dropped, after {@code
 * shutdown} requests are answered -32600, and {@code exit} ends the connection. A cancelled request
 * is answered -32800. {@code shutdown}, {@code exit}, {@code initialized} and {@code $/setTrace}
 * need no handler. Requests without a handler are answered -32601 at any time.
 *
 * <p>Its methods run on several threads: notifications in order, and requests beside each other
 * after the notifications before them. {@code initialize} and {@code shutdown} run alone.
 */
public final class LspServer {
  private static final String FRAMING = "framing=content-length";

  private LspServer() {}

  /**
   * Returns options for LSP, to be changed and passed to the other methods: params may be null, and
   * unknown members are ignored.
   */
  public static Options.Builder options() {
    return Options.builder()
        .dialect(LspDialect.INSTANCE)
        .lenience(Lenience.NULL_PARAMS)
        .unknownParams(UnknownMembers.IGNORE)
        .builtins(Options.Builtin.CANCEL);
  }

  /**
   * Serves the client that has started this process, over standard input and output, until the
   * connection ends.
   *
   * @param server the object with the handlers
   * @return the exit code for the process: 0 if the client has sent {@code shutdown} and {@code
   *     exit}, otherwise 1
   * @throws IllegalArgumentException if the object is no {@link InitializeHandler}, or has a method
   *     that cannot be served
   * @throws InterruptedException if the thread is interrupted; then the connection is closed
   */
  public static int run(Object server) throws IOException, InterruptedException {
    return run("stdio:", server, options().build());
  }

  /**
   * Connects to a client that listens, and serves it until the connection ends: {@code
   * tcp://127.0.0.1:PORT} for the argument {@code --socket=PORT}, {@code unix:PATH} for {@code
   * --pipe=PATH}.
   *
   * @param options the options, made by {@link #options}
   * @return the exit code for the process, as {@link #run(Object)} does
   * @throws IOException if the client cannot be reached
   * @throws IllegalArgumentException if the object is no {@link InitializeHandler}, or has a method
   *     that cannot be served
   * @throws InterruptedException if the thread is interrupted; then the connection is closed
   */
  public static int run(String uri, Object server, Options options)
      throws IOException, InterruptedException {
    Lifecycle lifecycle = new Lifecycle(server);
    Service service = service(server);
    try (Peer peer = Repartee.connect(framed(uri), service, with(options, lifecycle))) {
      peer.closed().whenComplete((closed, cause) -> lifecycle.disconnected());
      return lifecycle.exitCode().get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e); // the exit code never fails
    }
  }

  /**
   * Listens for clients. Each connection has a server object of its own.
   *
   * @param servers makes the object for a new connection; must not block
   * @param options the options, made by {@link #options}
   * @throws IOException if the address cannot be bound
   */
  public static Server listen(String uri, Supplier<?> servers, Options options) throws IOException {
    PeerFactory factory = channel -> {
      Object server = servers.get();
      return Peer.open(channel, service(server), with(options, new Lifecycle(server)));
    };
    return Repartee.listen(framed(uri), factory, options);
  }

  private static Options with(Options options, Lifecycle lifecycle) {
    return options.toBuilder().layer(lifecycle).build();
  }

  /** Returns the URI with the framing of LSP, unless it names one. */
  static String framed(String uri) {
    if (uri.contains("#")) {
      return uri.contains("framing=") ? uri : uri + "&" + FRAMING;
    }
    return uri + "#" + FRAMING;
  }

  /** Returns the methods of the object, and those of the lifecycle that it does not implement. */
  private static Service service(Object server) {
    if (!(server instanceof InitializeHandler)) {
      throw new IllegalArgumentException(server.getClass().getTypeName()
          + " cannot be a language server: it does not implement "
          + InitializeHandler.class.getName());
    }
    Service own = Service.of(server);
    Service.Builder builder = Service.builder().all(own);
    for (String name : new String[] {"shutdown", "initialized", "exit", "$/setTrace"}) {
      if (own.find(name) == null) {
        RpcMethod.Builder method = RpcMethod.builder(name);
        if (name.equals("shutdown")) {
          method.lane(Lane.ORDERED);
        }
        builder.add(method.handler(call -> null));
      }
    }
    return builder.build();
  }
}

package dev.repartee.lsp;

import dev.repartee.Call;
import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.PeerFactory;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.RpcMethod;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.envelopes.Lsp;
import dev.repartee.json.UnknownMembers;
import dev.repartee.lsp.documents.TextDocumentSyncHandler;
import dev.repartee.lsp.handlers.InitializeHandler;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Lenience;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves language clients in the lifecycle of LSP. An object handles the messages: it implements
 * interfaces of {@link dev.repartee.lsp.handlers}.
 *
 * <pre>{@code
 * public static void main(String[] args) throws Exception {
 *   System.exit(LspServer.run(new MyServer(), args));
 * }
 * }</pre>
 *
 * <p>The object implements at least {@link InitializeHandler}. The lifecycle is kept for it: before
 * {@code initialize} requests are answered -32002 and notifications are dropped, after
 * {@code shutdown} requests are answered -32600, and {@code exit} ends the connection. A cancelled
 * request is answered -32800. {@code shutdown}, {@code exit}, {@code initialized},
 * {@code $/setTrace} and {@code window/workDoneProgress/cancel} need no handler. Other requests
 * without a handler are answered -32601, and other notifications without one are ignored. If a
 * handler of a notification throws an {@link RpcException}, the client receives its message by
 * {@code window/logMessage}.
 *
 * <p>Its methods run on several threads: notifications in order, and requests concurrently, each
 * after the notifications before it. {@code initialize} and {@code shutdown} run alone.
 */
public final class LspServer {
  /** The methods that the lifecycle handles, with or without a handler of the server. */
  private static final List<String> OWN =
      List.of("shutdown", "initialized", "exit", "$/setTrace", "window/workDoneProgress/cancel");

  private LspServer() {}

  /**
   * Returns options for LSP, to be changed and passed to the other methods: params may be null, and
   * unknown members are ignored.
   */
  public static Options.Builder options() {
    return Options.builder()
        .dialect(new Lsp())
        .lenience(Lenience.NULL_PARAMS)
        .unknownParams(UnknownMembers.IGNORE)
        .builtins(Options.Builtin.CANCEL);
  }

  /**
   * Serves the client that has started this process, over standard input and output, until the
   * connection or the client's process ends. That process is the {@code processId} in
   * {@code initialize}, if it is visible here.
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
   * Serves the client that has started this process with arguments that language clients use:
   *
   * <ul>
   *   <li>{@code --stdio}, or none: standard input and output
   *   <li>{@code --socket=PORT} or {@code --port=PORT}: a client that listens on that local port
   *   <li>{@code --pipe=PATH}: a client that listens on that Unix socket
   *   <li>{@code --clientProcessId=PID}: the server ends when that process ends
   * </ul>
   *
   * A value may also be the next argument.
   *
   * @param server the object with the handlers
   * @param args the arguments of the program, without the arguments that the program itself handles
   * @return the exit code for the process, as {@link #run(Object)} does
   * @throws IOException if the client cannot be reached
   * @throws IllegalArgumentException if an argument is unknown or has no value, and as {@link
   *     #run(Object)} does
   * @throws InterruptedException if the thread is interrupted; then the connection is closed
   */
  public static int run(Object server, String[] args) throws IOException, InterruptedException {
    return run(server, args, options().build());
  }

  /**
   * Serves the client that has started this process with arguments, as {@link #run(Object,
   * String[])} does, with other options.
   *
   * @param options the options, made by {@link #options}
   * @return the exit code for the process, as {@link #run(Object)} does
   * @throws IOException if the client cannot be reached
   * @throws IllegalArgumentException as {@link #run(Object, String[])} does
   * @throws InterruptedException if the thread is interrupted; then the connection is closed
   */
  public static int run(Object server, String[] args, Options options)
      throws IOException, InterruptedException {
    StartArguments start = StartArguments.parse(args);
    return run(start.uri(), server, options, start.clientProcess());
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
    return run(uri, server, options, 0);
  }

  private static int run(String uri, Object server, Options options, long clientProcess)
      throws IOException, InterruptedException {
    Service service = service(server);
    Lifecycle lifecycle = new Lifecycle(server, service, true);
    lifecycle.watch(clientProcess);
    try (Peer peer = Repartee.connect(uri, service, with(options, server, lifecycle))) {
      peer.closed().whenComplete((closed, cause) -> lifecycle.disconnected());
      return lifecycle.exitCode().get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e); // the exit code never fails
    }
  }

  /**
   * Listens for clients. Each connection has its own server object.
   *
   * @param servers makes the object for a new connection; must not block
   * @param options the options, made by {@link #options}
   * @throws IOException if the address cannot be bound
   */
  public static Server listen(String uri, Supplier<?> servers, Options options) throws IOException {
    PeerFactory factory = channel -> {
      Object server = servers.get();
      Service service = service(server);
      Lifecycle lifecycle = new Lifecycle(server, service, false);
      return Peer.open(channel, service, with(options, server, lifecycle));
    };
    return Repartee.listen(uri, factory, options);
  }

  private static Options with(Options options, Object server, Lifecycle lifecycle) {
    Options.Builder with = options.toBuilder().layer(lifecycle);
    if (server instanceof TextDocumentSyncHandler synced) {
      with.layer(synced.documents());
    }
    return with.build();
  }

  /**
   * Returns the methods of the object, and the methods of the lifecycle that it does not implement.
   */
  private static Service service(Object server) {
    if (!(server instanceof InitializeHandler)) {
      throw new IllegalArgumentException(server.getClass().getTypeName()
          + " cannot be a language server: it does not implement "
          + InitializeHandler.class.getName());
    }
    Service own = Service.of(server);
    Service.Builder builder =
        Service.builder().all(own).others(Lane.CONCURRENT, LspServer::unknown);
    for (String name : OWN) {
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

  /** Refuses an unknown request, which has passed the lifecycle, and ignores a notification. */
  private static @Nullable Object unknown(Call call) {
    if (call.id() != null) {
      throw new RpcException(RpcError.METHOD_NOT_FOUND, "Method not found");
    }
    return null;
  }
}

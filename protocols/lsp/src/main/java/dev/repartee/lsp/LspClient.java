package dev.repartee.lsp;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.json.Json;
import dev.repartee.json.JsonType;
import dev.repartee.json.UnknownMembers;
import dev.repartee.json.UnsafeJson;
import dev.repartee.lsp.handlers.AsyncLanguageServer;
import dev.repartee.lsp.handlers.LanguageServer;
import dev.repartee.lsp.types.Registration;
import dev.repartee.stream.RemoteStream;
import dev.repartee.stream.Streaming;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A client of a language server.
 *
 * <pre>{@code
 * try (LspClient client = LspClient.connect("exec:clangd", new MyClient())) {
 *   client.server().initialize(params);
 *   client.server().initialized(new InitializedParams());
 * }
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class LspClient implements AutoCloseable {
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  private final Peer peer;
  private final ClientSide side;
  private final LanguageServer server;
  private final UnknownMembers unknownResults;

  private LspClient(Peer peer, ClientSide side, Options options) {
    this.peer = peer;
    this.side = side;
    this.unknownResults = options.unknownResults();
    this.server = peer.proxy(LanguageServer.class);
  }

  /**
   * Starts a server, or connects to one; see {@link #connect(String, Object, Options)}.
   *
   * @throws IOException if the server cannot be started or reached
   */
  public static LspClient connect(String uri, Object client) throws IOException {
    return connect(uri, client, LspServer.options().build());
  }

  /**
   * Starts a server, or connects to one.
   *
   * @param uri such as {@code exec:clangd --log=error} or {@code tcp://127.0.0.1:7000}
   * @param client the object with handlers for messages of the server, such as {@link
   *     dev.repartee.lsp.handlers.PublishDiagnosticsHandler}. It may be a {@link
   *     WorkDoneProgressListener}. Dynamic registrations are accepted, see {@link #registrations};
   *     other requests of the server that it does not handle are answered -32601
   * @param options the options, made by {@link LspServer#options}
   * @throws IOException if the server cannot be started or reached
   * @throws IllegalArgumentException if the object has no method, or one that cannot be served
   */
  public static LspClient connect(String uri, Object client, Options options) throws IOException {
    ClientSide side = new ClientSide(client);
    Options layered = options.toBuilder().layer(side).answersUnreadable(false).build();
    Peer peer = Repartee.connect(uri, side.service(client), layered);
    return new LspClient(peer, side, options);
  }

  /** Returns the server; its requests wait for the answer. */
  public LanguageServer server() {
    return server;
  }

  /** Returns the server, with requests that return futures. Makes a new object at each call. */
  public AsyncLanguageServer async() {
    return peer.proxy(AsyncLanguageServer.class);
  }

  /**
   * Returns the partial results of a request as a stream: the items arrive as the server finds
   * them, and the items of the answer come last. The params are sent with a
   * {@code partialResultToken}.
   *
   * <pre>{@code
   * client.partialResults("textDocument/references", params, Location.class)
   *     .forEach(location -> show(location));
   * }</pre>
   *
   * <p>If the request fails because it was cancelled (-32800, -32802), the earlier items are valid
   * results; after any other failure the application must drop them.
   *
   * @param method a request with an array as its result
   * @param params the params without a token, such as {@link
   *     dev.repartee.lsp.types.ReferenceParams}
   * @param item the type of an element of the result
   */
  public <T> RemoteStream<T> partialResults(String method, Object params, Class<T> item) {
    return peer.request(method).params(params).streaming(Streaming.partialResults()).stream(item);
  }

  /**
   * Collects the partial results of a request.
   *
   * @return a future of the results. It completes with the items so far if the request was
   *     cancelled by the server or by {@code $/cancelRequest} (-32800, -32802), and fails after any
   *     other failure, or with more than 100,000 items or 64 MiB of them. Cancelling it cancels the
   *     request
   */
  public <T> CompletableFuture<PartialResults<T>> collect(
      String method, Object params, Class<T> item) {
    JsonType<T> type = peer.types().of(item);
    return PartialResults.collect(partialResults(method, params, Json.class), each -> {
      byte[] text = UnsafeJson.array(each);
      return type.read(text, 0, text.length, unknownResults);
    });
  }

  /**
   * Returns the capabilities that the server has registered dynamically and not unregistered, in
   * the order of their arrival. A server registers only what {@code initialize} has offered with
   * {@code dynamicRegistration}.
   */
  public List<Registration> registrations() {
    return side.registrations();
  }

  /** Returns the dynamic registrations of a method, such as {@code textDocument/formatting}. */
  public List<Registration> registrations(String method) {
    return side.registrations().stream()
        .filter(each -> each.method().equals(method))
        .toList();
  }

  /** Returns the connection, for messages that LSP does not define. */
  public Peer peer() {
    return peer;
  }

  /**
   * Sends {@code shutdown} and {@code exit}, waits for the server to end the connection, and closes
   * it. Each step takes at most five seconds; a server that does not answer is closed all the same.
   */
  @Override
  public void close() {
    try {
      async()
          .shutdown()
          .orTimeout(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
          .join();
    } catch (RuntimeException e) {
      // It may be shut down, not initialized or gone; exit ends it in any case.
    }
    try {
      server.exit();
      peer.closed()
          .toCompletableFuture()
          .orTimeout(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
          .join();
    } catch (RuntimeException e) {
      // The connection has ended already, or the server does not end it.
    }
    peer.close();
  }
}

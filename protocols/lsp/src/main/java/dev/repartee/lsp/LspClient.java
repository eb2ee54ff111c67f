package dev.repartee.lsp;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.lsp.handlers.AsyncLanguageServer;
import dev.repartee.lsp.handlers.LanguageServer;
import java.io.IOException;
import java.time.Duration;
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
  private final LanguageServer server;

  private LspClient(Peer peer) {
    this.peer = peer;
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
   *     dev.repartee.lsp.handlers.PublishDiagnosticsHandler}; requests of the server that it does
   *     not handle are answered -32601
   * @param options the options, made by {@link LspServer#options}
   * @throws IOException if the server cannot be started or reached
   * @throws IllegalArgumentException if the object has no method, or one that cannot be served
   */
  public static LspClient connect(String uri, Object client, Options options) throws IOException {
    Service service = Service.of(client);
    return new LspClient(Repartee.connect(LspServer.framed(uri), service, options));
  }

  /** Returns the server; its requests wait for the answer. */
  public LanguageServer server() {
    return server;
  }

  /** Returns the server, with requests that return futures. Makes a new object at each call. */
  public AsyncLanguageServer async() {
    return peer.proxy(AsyncLanguageServer.class);
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
      // The connection has ended before, or the server does not end it.
    }
    peer.close();
  }
}

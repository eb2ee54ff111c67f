package dev.repartee.lsp;

import java.util.concurrent.TimeUnit;

/** Steps of the tests with language servers of others. */
final class RealServer {
  private RealServer() {}

  /**
   * Ends a server in order, and waits: {@code close} would kill a server that needs some seconds.
   */
  static void end(LspClient client) throws Exception {
    client.server().shutdown();
    client.server().exit();
    client
        .peer()
        .closed()
        .toCompletableFuture()
        .handle((closed, failure) -> closed)
        .get(60, TimeUnit.SECONDS);
  }
}

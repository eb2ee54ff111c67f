package dev.repartee.lsp;

import dev.repartee.lsp.handlers.LanguageClient;

/** A language server that calls its client. */
public interface LanguageClientAware {
  /**
   * Receives the client, once, before {@code initialize} is handled. Before the answer to
   * {@code initialize} the protocol allows few messages to the client, such as
   * {@code window/logMessage}.
   *
   * @param client sends messages to the client; thread-safe. Its requests wait for the answer
   */
  void connect(LanguageClient client);
}

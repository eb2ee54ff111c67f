package dev.repartee.lsp;

/** A language server that uses its session: progress, dynamic registration, traces. */
public interface LspSessionAware {
  /** Receives the session, once for each connection, before {@code initialize} is handled. */
  void connect(LspSession session);
}

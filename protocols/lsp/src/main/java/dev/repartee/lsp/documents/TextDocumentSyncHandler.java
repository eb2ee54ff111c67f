package dev.repartee.lsp.documents;

import dev.repartee.lsp.handlers.DidChangeTextDocumentHandler;
import dev.repartee.lsp.handlers.DidCloseTextDocumentHandler;
import dev.repartee.lsp.handlers.DidOpenTextDocumentHandler;
import dev.repartee.lsp.types.DidChangeTextDocumentParams;
import dev.repartee.lsp.types.DidCloseTextDocumentParams;
import dev.repartee.lsp.types.DidOpenTextDocumentParams;

/**
 * Serves the notifications that open, change and close text documents: a server implements it, and
 * keeps a {@link TextDocuments} in a field.
 */
public interface TextDocumentSyncHandler
    extends DidOpenTextDocumentHandler, DidChangeTextDocumentHandler, DidCloseTextDocumentHandler {
  /** Returns the documents of this connection, always the same object. */
  TextDocuments documents();

  /**
   * Reports that a document was opened or changed. Runs before later messages are handled. Does
   * nothing by default.
   */
  default void changed(TextDocument document) {}

  /** Reports that a document was closed. Does nothing by default. */
  default void closed(String uri) {}

  @Override
  default void didOpenTextDocument(DidOpenTextDocumentParams params) {
    changed(documents().open(params));
  }

  @Override
  default void didChangeTextDocument(DidChangeTextDocumentParams params) {
    changed(documents().change(params));
  }

  @Override
  default void didCloseTextDocument(DidCloseTextDocumentParams params) {
    documents().close(params);
    closed(params.textDocument().uri());
  }
}

/**
 * The text documents that a client has open: {@link dev.repartee.lsp.documents.TextDocuments} keeps
 * them, {@link dev.repartee.lsp.documents.TextDocument} is one version of one document.
 */
@NullMarked
package dev.repartee.lsp.documents;

import org.jspecify.annotations.NullMarked;

/**
 * Language servers and their clients: {@link dev.repartee.lsp.LspServer} serves the object of an
 * application through the lifecycle of LSP, and {@link dev.repartee.lsp.LspClient} drives a server.
 *
 * <p>The messages are in {@link dev.repartee.lsp.handlers}, their types in {@link
 * dev.repartee.lsp.types}.
 */
@NullMarked
package dev.repartee.lsp;

import org.jspecify.annotations.NullMarked;

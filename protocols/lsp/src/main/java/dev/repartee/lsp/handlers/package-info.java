/**
 * The requests and notifications of LSP 3.18.0, generated from its meta model: one interface for each
 * message, and {@link dev.repartee.lsp.handlers.LanguageServer} and {@link
 * dev.repartee.lsp.handlers.LanguageClient} with all messages of a side, for proxies.
 *
 * <p>A server implements the interfaces of the messages that it serves. {@code Service.of(server)}
 * serves these and no others. A method that needs the {@link dev.repartee.Call}, such as its
 * cancellation, is annotated with {@link dev.repartee.Rpc} itself.
 */
@NullMarked
package dev.repartee.lsp.handlers;

import org.jspecify.annotations.NullMarked;

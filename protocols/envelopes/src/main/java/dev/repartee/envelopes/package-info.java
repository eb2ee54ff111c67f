/**
 * Message formats other than JSON-RPC 2.0, on the same peers, services and transports: {@link
 * dev.repartee.envelopes.JsonRpc10}, {@link dev.repartee.envelopes.Dap}, {@link
 * dev.repartee.envelopes.Lazydap} and {@link dev.repartee.envelopes.Mxr}; and the dialect of LSP,
 * {@link dev.repartee.envelopes.Lsp}. An endpoint chooses one by its name ({@code
 * #envelope=jsonrpc-1.0}), a program also by {@link dev.repartee.Options.Builder#dialect}.
 */
@NullMarked
package dev.repartee.envelopes;

import org.jspecify.annotations.NullMarked;

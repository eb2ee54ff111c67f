/**
 * The requests and events of DAP 1.71, generated from its schema: one interface for each message,
 * and {@link dev.repartee.dap.handlers.DebugAdapter} and {@link
 * dev.repartee.dap.handlers.DebugClient} with all messages of a side, for proxies.
 *
 * <p>An adapter implements the interfaces of the requests that it serves, a client the interfaces
 * of the events and reverse requests that it handles. A method that needs the
 * {@link dev.repartee.Call}, for example for its cancellation, has the annotation
 * {@link dev.repartee.Rpc} itself. The commands {@code continue} and {@code goto} are
 * {@code continue_} and {@code goto_} in Java.
 */
@NullMarked
package dev.repartee.dap.handlers;

import org.jspecify.annotations.NullMarked;

/**
 * The requests and notifications of the Agent Client Protocol, version 1: one interface for each
 * message, and {@link dev.repartee.acp.handlers.RemoteAgent} and {@link
 * dev.repartee.acp.handlers.RemoteClient} with all messages of a side, for proxies.
 *
 * <p>A client implements the interfaces of the requests that it serves; {@link
 * dev.repartee.acp.AcpClient} announces them. A method that needs the {@link dev.repartee.Call}, or
 * answers later, is annotated with {@link dev.repartee.Rpc} itself.
 */
@NullMarked
package dev.repartee.acp.handlers;

import org.jspecify.annotations.NullMarked;

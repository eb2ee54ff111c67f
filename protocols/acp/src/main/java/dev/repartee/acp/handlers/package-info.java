/**
 * The requests and notifications of the Agent Client Protocol, version 1: one interface for each
 * message, and {@link dev.repartee.acp.handlers.RemoteAgent} and {@link
 * dev.repartee.acp.handlers.RemoteClient} with all messages of a side, for proxies.
 *
 * <p>A client implements the interfaces of the requests that it serves; {@link
 * dev.repartee.acp.AcpClient} announces them. For access to the {@link dev.repartee.Call}, or for
 * an asynchronous answer, write a method with the annotation {@link dev.repartee.Rpc} instead.
 */
@NullMarked
package dev.repartee.acp.handlers;

import org.jspecify.annotations.NullMarked;

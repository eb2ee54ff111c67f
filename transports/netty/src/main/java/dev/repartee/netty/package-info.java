/**
 * JSON-RPC over HTTP POST and over WebSocket on one port, as a {@link
 * dev.repartee.transport.Transport}. Users do not have to name any type of this package: with this
 * module present, {@code Repartee.listen} and {@code Repartee.connect} accept {@code http:}, {@code
 * https:}, {@code ws:} and {@code wss:} URIs, and {@code tls:} URIs, which are TCP with TLS.
 *
 * <p>Start with {@link dev.repartee.netty.NettyTransport}. This package holds the connections, and
 * depends on two others: {@code http}, the heads of HTTP messages, and {@code tls}, which uses
 * {@code http}.
 */
@NullMarked
package dev.repartee.netty;

import org.jspecify.annotations.NullMarked;

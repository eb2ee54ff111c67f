/**
 * The heads of HTTP messages, without their connections and bodies: addresses, header fields, the
 * heads of requests in the form for {@code dev.repartee.transport.http.server}, and the compression
 * of WebSocket. Not exported.
 */
@NullMarked
package dev.repartee.netty.http;

import org.jspecify.annotations.NullMarked;

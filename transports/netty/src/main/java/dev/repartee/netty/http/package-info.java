/**
 * The heads of HTTP messages, without their connections and bodies: addresses, header fields, the
 * admission of requests ({@link dev.repartee.netty.http.RequestPolicy}), the format of responses and
 * events, and the compression of WebSocket. Not exported.
 */
@NullMarked
package dev.repartee.netty.http;

import org.jspecify.annotations.NullMarked;

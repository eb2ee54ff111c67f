/**
 * The heads of HTTP messages, without their connections and bodies: addresses, header fields, the
 * admission of requests ({@link dev.repartee.netty.http.RequestPolicy}), and the format of
 * responses. Not exported.
 */
@NullMarked
package dev.repartee.netty.http;

import org.jspecify.annotations.NullMarked;

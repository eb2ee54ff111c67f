/**
 * HTTP/1.1 POST and WebSocket on one port. Nothing here needs to be named by users: with this module
 * present {@code Repartee.listen} and {@code Repartee.connect} take {@code http://} and {@code ws://}.
 */
@NullMarked
package dev.repartee.netty;

import org.jspecify.annotations.NullMarked;

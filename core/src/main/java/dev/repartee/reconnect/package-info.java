/**
 * Peers that outlive their connections: {@link dev.repartee.reconnect.Reconnecting} makes them,
 * with a {@link dev.repartee.reconnect.Backoff} between the attempts to connect, and reports to a
 * {@link dev.repartee.reconnect.ReconnectListener}.
 */
@NullMarked
package dev.repartee.reconnect;

import org.jspecify.annotations.NullMarked;

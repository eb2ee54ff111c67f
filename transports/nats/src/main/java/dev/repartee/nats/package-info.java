/**
 * The transport {@code nats:} and {@code nats+tls:}: JSON-RPC through a NATS server. It is found by
 * {@link java.util.ServiceLoader}; applications need only the URI.
 */
@NullMarked
package dev.repartee.nats;

import org.jspecify.annotations.NullMarked;

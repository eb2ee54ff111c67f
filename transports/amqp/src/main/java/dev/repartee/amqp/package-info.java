/**
 * The transport {@code amqp:} and {@code amqps:}: JSON-RPC through RabbitMQ. It is found by {@link
 * java.util.ServiceLoader}; applications need only the URI.
 */
@NullMarked
package dev.repartee.amqp;

import org.jspecify.annotations.NullMarked;

/**
 * The transport {@code zmq+tcp:}: JSON-RPC over ZeroMQ, without a broker. It is found by {@link
 * java.util.ServiceLoader}; applications need only the URI.
 */
@NullMarked
package dev.repartee.zeromq;

import org.jspecify.annotations.NullMarked;

/**
 * The buffers at both ends of a stream, and the demand of its subscriber. For the engine and the
 * transports of this toolkit; not exported to users.
 */
@NullMarked
package dev.repartee.stream.flow;

import org.jspecify.annotations.NullMarked;

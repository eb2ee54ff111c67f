/**
 * The buffers at both ends of a stream, and the demand of its subscriber. For the engine; not
 * exported.
 */
@NullMarked
package dev.repartee.stream.flow;

import org.jspecify.annotations.NullMarked;

/** The calls of a peer that sends them over the peers of connections; not exported. */
@NullMarked
package dev.repartee.carrier;

import org.jspecify.annotations.NullMarked;

/**
 * A bridge between endpoints: {@link dev.repartee.bridge.Bridge} serves the methods of one endpoint
 * at others, with any transport and message format on both sides.
 */
@NullMarked
package dev.repartee.bridge;

import org.jspecify.annotations.NullMarked;

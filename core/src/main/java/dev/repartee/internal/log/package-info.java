/** Logs that a flood of events cannot fill: bounded queues, files and rates. Not public API. */
@NullMarked
package dev.repartee.internal.log;

import org.jspecify.annotations.NullMarked;

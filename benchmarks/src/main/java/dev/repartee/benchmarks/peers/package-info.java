/** Repartee and other libraries as contestants. */
@NullMarked
package dev.repartee.benchmarks.peers;

import org.jspecify.annotations.NullMarked;

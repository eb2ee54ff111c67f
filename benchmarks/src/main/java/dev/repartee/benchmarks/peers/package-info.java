/**
 * Repartee and other libraries as contestants. Each implements {@link
 * dev.repartee.benchmarks.load.Contestant}.
 */
@NullMarked
package dev.repartee.benchmarks.peers;

import org.jspecify.annotations.NullMarked;

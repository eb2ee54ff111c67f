/**
 * Measures the speed of Repartee in comparison with raw echoes and other libraries: servers and
 * clients in separate processes, in turns. {@link dev.repartee.benchmarks.Main} is the command; the
 * peers are {@link dev.repartee.benchmarks.peers.Contestants}.
 *
 * <p>This package runs the comparison of all contestants, cell by cell, and the measurement of
 * memory. {@code ServerMain} and {@code ClientMain} keep their names: {@code --against} starts
 * those of another checkout.
 */
@NullMarked
package dev.repartee.benchmarks;

import org.jspecify.annotations.NullMarked;

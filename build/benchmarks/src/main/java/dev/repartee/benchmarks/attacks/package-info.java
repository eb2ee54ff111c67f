/**
 * {@link dev.repartee.benchmarks.attacks.Attacks} measures the effect of attacks on another client
 * and on the memory of the attacked server.
 */
@NullMarked
package dev.repartee.benchmarks.attacks;

import org.jspecify.annotations.NullMarked;

/**
 * {@link dev.repartee.benchmarks.soak.Soak} is the soak test: calls over bad networks for a long
 * time, with an account of their outcomes.
 */
@NullMarked
package dev.repartee.benchmarks.soak;

import org.jspecify.annotations.NullMarked;

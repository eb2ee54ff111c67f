/**
 * {@link dev.repartee.benchmarks.startup.StartUp} measures processes from their start to their
 * first answer.
 */
@NullMarked
package dev.repartee.benchmarks.startup;

import org.jspecify.annotations.NullMarked;

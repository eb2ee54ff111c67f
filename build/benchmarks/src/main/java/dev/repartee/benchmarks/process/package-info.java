/**
 * The processes of a measurement ({@link dev.repartee.benchmarks.process.Child}), and the resources
 * that they use.
 */
@NullMarked
package dev.repartee.benchmarks.process;

import org.jspecify.annotations.NullMarked;

/**
 * Measures the speed of Repartee beside raw echoes and other libraries: servers and clients in processes
 * of their own, in turns. {@link dev.repartee.benchmarks.Main} is the command; a new peer implements
 * {@link dev.repartee.benchmarks.Contestant}.
 */
@NullMarked
package dev.repartee.benchmarks;

import org.jspecify.annotations.NullMarked;

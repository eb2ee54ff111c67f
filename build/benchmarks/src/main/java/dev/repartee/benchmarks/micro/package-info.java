/**
 * {@link dev.repartee.benchmarks.micro.Micro} measures time and allocation without a transport,
 * with JMH.
 */
@NullMarked
package dev.repartee.benchmarks.micro;

import org.jspecify.annotations.NullMarked;

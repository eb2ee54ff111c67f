/**
 * The {@link dev.repartee.benchmarks.load.Workload}s, and the clients that call servers with them
 * as fast as the servers answer.
 */
@NullMarked
package dev.repartee.benchmarks.load;

import org.jspecify.annotations.NullMarked;

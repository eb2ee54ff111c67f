/** {@link dev.repartee.benchmarks.failover.Failover} measures the loss of a server. */
@NullMarked
package dev.repartee.benchmarks.failover;

import org.jspecify.annotations.NullMarked;

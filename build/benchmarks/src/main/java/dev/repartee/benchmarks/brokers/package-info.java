/**
 * Calls through message brokers, beside the client libraries of the brokers; see {@link
 * dev.repartee.benchmarks.brokers.Brokers}.
 */
@NullMarked
package dev.repartee.benchmarks.brokers;

import org.jspecify.annotations.NullMarked;

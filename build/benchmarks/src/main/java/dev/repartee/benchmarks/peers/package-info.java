/**
 * Raw echoes, Repartee and other libraries; {@link dev.repartee.benchmarks.peers.Contestants} lists
 * them.
 */
@NullMarked
package dev.repartee.benchmarks.peers;

import org.jspecify.annotations.NullMarked;

/**
 * How fast Repartee is, beside raw echoes and its peers: servers and clients in processes of their own,
 * measured in turns. {@link dev.repartee.benchmarks.Main} is the way in, {@link
 * dev.repartee.benchmarks.Contestant} what a new peer implements.
 */
@NullMarked
package dev.repartee.benchmarks;

import org.jspecify.annotations.NullMarked;

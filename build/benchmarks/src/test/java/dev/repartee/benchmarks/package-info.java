/** Tests that the benchmarks measure correctly. They do not test speed. */
@NullMarked
package dev.repartee.benchmarks;

import org.jspecify.annotations.NullMarked;

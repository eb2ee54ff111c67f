/** Tests of the harness: that it measures what it says. Speed is no test. */
@NullMarked
package dev.repartee.benchmarks;

import org.jspecify.annotations.NullMarked;

/** The processes of a measurement, and the resources that they use. */
@NullMarked
package dev.repartee.benchmarks.process;

import org.jspecify.annotations.NullMarked;

/**
 * Fuzz targets: invariants that must hold for every input, most of them checked against Jackson.
 * Jazzer searches for counterexamples. {@link dev.repartee.fuzz.Target} lists the targets.
 */
@NullMarked
package dev.repartee.fuzz;

import org.jspecify.annotations.NullMarked;

/**
 * Fuzz targets: invariants that must hold for every input, most of them checked against Jackson.
 * Jazzer searches for counterexamples.
 */
@NullMarked
package dev.repartee.fuzz;

import org.jspecify.annotations.NullMarked;

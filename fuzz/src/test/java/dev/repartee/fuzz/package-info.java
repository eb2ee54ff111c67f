/** What any input must come to, for Jazzer to look for one that does not. */
@NullMarked
package dev.repartee.fuzz;

import org.jspecify.annotations.NullMarked;

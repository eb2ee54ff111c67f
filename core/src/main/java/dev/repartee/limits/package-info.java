/** Limits of endpoints, and the memory budget of the process. */
@NullMarked
package dev.repartee.limits;

import org.jspecify.annotations.NullMarked;

/** Utilities that all other packages use. Not exported. */
@NullMarked
package dev.repartee.internal;

import org.jspecify.annotations.NullMarked;

/**
 * Utilities that all other packages use, such as {@link dev.repartee.internal.Bytes}. Not exported.
 */
@NullMarked
package dev.repartee.internal;

import org.jspecify.annotations.NullMarked;

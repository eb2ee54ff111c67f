/**
 * The JSON of both versions of A2A, the names of the methods, and the errors. Not exported.
 */
@NullMarked
package dev.repartee.a2a.wire;

import org.jspecify.annotations.NullMarked;

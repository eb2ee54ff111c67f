/** An example: an agent of A2A. */
@NullMarked
package dev.repartee.examples.a2a;

import org.jspecify.annotations.NullMarked;

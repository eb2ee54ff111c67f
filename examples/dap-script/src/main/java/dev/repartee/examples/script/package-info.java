/** A debug adapter for a small line-based script language. */
@NullMarked
package dev.repartee.examples.script;

import org.jspecify.annotations.NullMarked;

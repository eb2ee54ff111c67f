/** The programs of the guides in {@code docs}. Each is complete, and a test runs it. */
@NullMarked
package dev.repartee.examples.guides;

import org.jspecify.annotations.NullMarked;

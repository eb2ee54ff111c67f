/** Tests that need the whole build. */
@NullMarked
package dev.repartee.build;

import org.jspecify.annotations.NullMarked;

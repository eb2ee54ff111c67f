/**
 * Tests that need the whole build: {@link dev.repartee.build.ArchitectureTest} and tests of the
 * launcher, the module path and the Markdown pages.
 */
@NullMarked
package dev.repartee.build;

import org.jspecify.annotations.NullMarked;

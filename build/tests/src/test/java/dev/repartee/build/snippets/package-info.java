/**
 * The Java code of the Markdown pages, as programs that compile and run. {@link
 * dev.repartee.build.snippets.ProgramsTest} runs the complete programs.
 */
@NullMarked
package dev.repartee.build.snippets;

import org.jspecify.annotations.NullMarked;

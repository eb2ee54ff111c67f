/** The Java code of the Markdown pages, as programs that compile and run. */
@NullMarked
package dev.repartee.build.snippets;

import org.jspecify.annotations.NullMarked;

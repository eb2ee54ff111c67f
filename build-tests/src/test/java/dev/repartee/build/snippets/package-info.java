/** What the Markdown pages show, as programs that compile and run. */
@NullMarked
package dev.repartee.build.snippets;

import org.jspecify.annotations.NullMarked;

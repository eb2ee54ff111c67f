/** Renders the Markdown pages and the Javadoc as one static site: {@link dev.repartee.build.site.Site}. */
@NullMarked
package dev.repartee.build.site;

import org.jspecify.annotations.NullMarked;

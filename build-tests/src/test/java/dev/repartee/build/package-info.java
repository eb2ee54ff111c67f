/** Tests of what only the whole build can show. */
@NullMarked
package dev.repartee.build;

import org.jspecify.annotations.NullMarked;

/** Binds the generated types of ACP for every registry of the process; not exported. */
@NullMarked
package dev.repartee.acp.binding;

import org.jspecify.annotations.NullMarked;

/** Binds the generated types of DAP for every registry of the process; not exported. */
@NullMarked
package dev.repartee.dap.binding;

import org.jspecify.annotations.NullMarked;

/** Binds the generated types of LSP for every registry of the process; not exported. */
@NullMarked
package dev.repartee.lsp.binding;

import org.jspecify.annotations.NullMarked;

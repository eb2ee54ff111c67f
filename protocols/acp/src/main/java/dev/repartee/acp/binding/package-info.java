/** Binds JSON to the generated types of ACP without reflection; not exported. */
@NullMarked
package dev.repartee.acp.binding;

import org.jspecify.annotations.NullMarked;

/**
 * The types of DAP 1.71, generated from its schema.
 *
 * <ul>
 *   <li><b>Objects</b> are records. A second constructor has only the required members, and
 *       {@code with...} returns a copy with another member. A member that is null is omitted,
 *       unless the schema requires it; then it is JSON null. Unknown members are ignored.
 *   <li><b>Bodies</b> of responses and events have the names of their messages, such as {@code
 *       StackTraceResponse} and {@code StoppedEvent}.
 *   <li><b>Enumerations</b> are records with constants, since the protocol leaves them open.
 *   <li>The settings of a debugger, which no schema lists, are a {@link
 *       dev.repartee.dap.types.Configuration}. Other values of any kind are {@link
 *       dev.repartee.json.Json}.
 *   <li>Integers that the schema limits to 32 bits are {@code int}, others {@code long}.
 * </ul>
 *
 * <p>Lists and maps are not copied: do not change them later.
 */
@NullMarked
package dev.repartee.dap.types;

import org.jspecify.annotations.NullMarked;

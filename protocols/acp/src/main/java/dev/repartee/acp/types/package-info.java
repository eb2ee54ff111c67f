/**
 * The types of the Agent Client Protocol, version 1, generated from a model in the sources of this
 * module.
 *
 * <ul>
 *   <li><b>Objects</b> are records. A second constructor takes the required members only, and
 *       {@code with...} returns a copy with one more. A member that is null is left out. Unknown
 *       members are ignored; those of extensions are in {@code meta}, the member {@code _meta}.
 *   <li><b>Unions</b>, such as {@link dev.repartee.acp.types.SessionUpdate} and {@link
 *       dev.repartee.acp.types.ContentBlock}, are sealed interfaces. An object of a kind that this
 *       version does not have is kept as {@code Unknown}.
 *   <li><b>Enumerations</b> are records with constants, so that unknown values are kept.
 *   <li>Other values of any kind are {@link dev.repartee.json.Json}.
 * </ul>
 *
 * <p>Lists and maps are not copied, so do not change them later.
 */
@NullMarked
package dev.repartee.acp.types;

import org.jspecify.annotations.NullMarked;

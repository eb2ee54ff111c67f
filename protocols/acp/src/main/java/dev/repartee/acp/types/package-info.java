/**
 * The types of the Agent Client Protocol, version 1, generated from a model in the sources of this
 * module.
 *
 * <ul>
 *   <li><b>Objects</b> are records. A second constructor takes only the required members, and
 *       {@code with...} returns a copy with another member. A member that is null is omitted.
 *       Unknown members are ignored. Extensions use {@code meta}, the member {@code _meta}.
 *   <li><b>Unions</b>, such as {@link dev.repartee.acp.types.SessionUpdate} and {@link
 *       dev.repartee.acp.types.ContentBlock}, are sealed interfaces. An object of an unknown kind
 *       is an {@code Unknown}.
 *   <li><b>Enumerations</b> are records with constants, so that unknown values are kept.
 *   <li>Other values of any kind are {@link dev.repartee.json.Json}.
 * </ul>
 *
 * <p>The records do not copy lists and maps: do not change them later.
 */
@NullMarked
package dev.repartee.acp.types;

import org.jspecify.annotations.NullMarked;

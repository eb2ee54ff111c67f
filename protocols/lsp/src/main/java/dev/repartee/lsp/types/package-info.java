/**
 * The types of LSP 3.18.0 (final, June 2026), generated from its meta model.
 *
 * <ul>
 *   <li><b>Structures</b> are records. A second constructor has only the required members, and
 *       {@code with...} returns a copy with one more. A member that is null is left out, unless the
 *       meta model requires it; then it is JSON null. Unknown members are ignored.
 *   <li><b>Unions</b> are sealed interfaces. Structures implement them; other variants are wrapped
 *       in records such as {@code OfString}, which {@code of} creates. Constructors and
 *       {@code with...} also accept a string, number or boolean of a union directly.
 *   <li><b>Enumerations</b> are records with constants, since a newer peer may send other values.
 *   <li><b>{@code LSPAny}</b> is {@link dev.repartee.json.Json}; {@code URI} and {@code
 *       DocumentUri} are strings.
 * </ul>
 *
 * <p>Lists and maps are not copied; do not change them later.
 */
@NullMarked
package dev.repartee.lsp.types;

import org.jspecify.annotations.NullMarked;

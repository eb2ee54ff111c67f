/**
 * JSON text and its mapping to Java types.
 *
 * <p>{@link dev.repartee.json.Json} is a value, kept as its text; {@link
 * dev.repartee.json.JsonObjectBuilder} builds an object, and {@link dev.repartee.json.JsonLayout}
 * writes a value for people. {@link dev.repartee.json.JsonType} reads and writes one Java type; a
 * {@link dev.repartee.json.Binder} adds types, and {@link dev.repartee.json.JsonTypes} is the
 * registry of an endpoint. {@link dev.repartee.json.JsonScanner}, {@link
 * dev.repartee.json.JsonReader} and {@link dev.repartee.json.JsonWriter} are for codecs and
 * binders.
 */
@NullMarked
package dev.repartee.json;

import org.jspecify.annotations.NullMarked;

/**
 * Validates values against JSON Schemas with bounded time and memory: {@link
 * dev.repartee.openrpc.schema.SchemaValidator}. Exported to the modules of this project that check
 * calls, tools and agents.
 */
@NullMarked
package dev.repartee.openrpc.schema;

import org.jspecify.annotations.NullMarked;

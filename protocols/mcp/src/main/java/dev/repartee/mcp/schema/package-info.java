/**
 * JSON Schemas: {@link dev.repartee.mcp.schema.SchemaValidator} validates values with bounded time
 * and memory, {@link dev.repartee.mcp.schema.InputSchema} builds schemas. Not exported.
 */
@NullMarked
package dev.repartee.mcp.schema;

import org.jspecify.annotations.NullMarked;

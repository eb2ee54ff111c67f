/**
 * The validation of values against JSON Schemas, bounded in time and memory, and the building of
 * schemas. Not exported.
 */
@NullMarked
package dev.repartee.mcp.schema;

import org.jspecify.annotations.NullMarked;

/**
 * The format of messages: reading and writing of JSON objects ({@link
 * dev.repartee.mcp.wire.JsonObjectReader}, {@link dev.repartee.mcp.wire.JsonObjectWriter}), errors,
 * request metadata, and the dialect of JSON-RPC. Not exported.
 */
@NullMarked
package dev.repartee.mcp.wire;

import org.jspecify.annotations.NullMarked;

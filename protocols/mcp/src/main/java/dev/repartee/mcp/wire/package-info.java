/**
 * The format of messages: the members of JSON objects ({@link
 * dev.repartee.mcp.wire.JsonObjectReader}), errors, request metadata, and the dialect of JSON-RPC.
 * Not exported.
 */
@NullMarked
package dev.repartee.mcp.wire;

import org.jspecify.annotations.NullMarked;

/** Offers any JSON-RPC service as tools: {@link dev.repartee.mcp.bridge.RemoteService}. */
@NullMarked
package dev.repartee.mcp.bridge;

import org.jspecify.annotations.NullMarked;

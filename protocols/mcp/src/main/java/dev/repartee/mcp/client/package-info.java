/**
 * Clients of the Model Context Protocol: {@link dev.repartee.mcp.client.McpClient} for one server,
 * {@link dev.repartee.mcp.client.McpClients} for many.
 */
@NullMarked
package dev.repartee.mcp.client;

import org.jspecify.annotations.NullMarked;

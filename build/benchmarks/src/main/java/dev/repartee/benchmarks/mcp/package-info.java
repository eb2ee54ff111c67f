/** {@link dev.repartee.benchmarks.mcp.McpClients} measures clients of MCP servers. */
@NullMarked
package dev.repartee.benchmarks.mcp;

import org.jspecify.annotations.NullMarked;

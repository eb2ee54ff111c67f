/** {@link dev.repartee.benchmarks.mcp.McpClients} measures clients of the Model Context Protocol. */
@NullMarked
package dev.repartee.benchmarks.mcp;

import org.jspecify.annotations.NullMarked;

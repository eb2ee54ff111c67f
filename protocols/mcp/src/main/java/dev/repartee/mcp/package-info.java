/**
 * Servers of the Model Context Protocol (MCP). {@link dev.repartee.mcp.McpServer} serves tools,
 * resources and prompts to clients of every supported {@link dev.repartee.mcp.types.Revision} from
 * the same handlers. Comments cite the specification at modelcontextprotocol.io by the name of the
 * revision.
 */
@NullMarked
package dev.repartee.mcp;

import org.jspecify.annotations.NullMarked;

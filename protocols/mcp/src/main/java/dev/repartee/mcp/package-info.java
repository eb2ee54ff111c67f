/**
 * The Model Context Protocol (MCP) in all revisions in use: {@link dev.repartee.mcp.McpServer} serves
 * tools, resources and prompts to clients of either era from the same handlers. Rules are those of the
 * specification at modelcontextprotocol.io, by the name of the revision that states them.
 */
@NullMarked
package dev.repartee.mcp;

import org.jspecify.annotations.NullMarked;

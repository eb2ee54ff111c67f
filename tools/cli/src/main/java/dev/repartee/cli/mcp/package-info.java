/**
 * {@code repartee mcp}: the commands for the Model Context Protocol. {@code McpServeCommand} serves
 * any service as an MCP server; the other commands are clients of MCP servers.
 */
@NullMarked
package dev.repartee.cli.mcp;

import org.jspecify.annotations.NullMarked;

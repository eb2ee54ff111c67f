/**
 * Shared parts of the modules that offer a developer tool, such as a language server, as MCP tools
 * over the files of a folder. Contains the access to the files, the schemas of the tools, and the
 * failures of the server. Exported only to these modules.
 */
@NullMarked
package dev.repartee.mcp.workspace;

import org.jspecify.annotations.NullMarked;

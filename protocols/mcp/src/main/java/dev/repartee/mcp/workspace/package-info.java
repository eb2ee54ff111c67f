/**
 * Shared parts of the modules that offer a developer tool, such as a language server, as tools over
 * the files of a folder: access to the files, the schemas, and the failures of that server.
 * Exported only to these modules.
 */
@NullMarked
package dev.repartee.mcp.workspace;

import org.jspecify.annotations.NullMarked;

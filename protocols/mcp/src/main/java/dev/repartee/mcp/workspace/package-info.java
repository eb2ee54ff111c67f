/**
 * Parts of the modules that offer a tool for developers, such as a language server, as tools over
 * the files of a folder: its files, the schemas, and the failures of that server. Exported to these
 * modules only.
 */
@NullMarked
package dev.repartee.mcp.workspace;

import org.jspecify.annotations.NullMarked;

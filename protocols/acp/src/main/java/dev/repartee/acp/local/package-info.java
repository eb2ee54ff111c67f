/**
 * Handlers for the requests of agents, for clients without an editor: {@link
 * dev.repartee.acp.local.FolderFiles} reads and writes the files of a folder, and {@link
 * dev.repartee.acp.local.ProcessTerminals} runs commands in it.
 */
@NullMarked
package dev.repartee.acp.local;

import org.jspecify.annotations.NullMarked;

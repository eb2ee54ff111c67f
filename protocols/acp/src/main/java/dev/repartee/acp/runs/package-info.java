/**
 * The Agent Communication Protocol: programs use it to run agents over the network. It has the same
 * abbreviation as the Agent Client Protocol. {@link dev.repartee.acp.runs.RunServer} serves runs as
 * REST with server-sent events, version 0.2 of the protocol, and as JSON-RPC.
 */
@NullMarked
package dev.repartee.acp.runs;

import org.jspecify.annotations.NullMarked;

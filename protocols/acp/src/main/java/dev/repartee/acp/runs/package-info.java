/**
 * The Agent Communication Protocol, another protocol with the abbreviation ACP: programs run agents
 * over the network. {@link dev.repartee.acp.runs.RunServer} serves the runs of agents in two forms:
 * as REST with server-sent events, version 0.2 of the protocol, and as JSON-RPC.
 */
@NullMarked
package dev.repartee.acp.runs;

import org.jspecify.annotations.NullMarked;

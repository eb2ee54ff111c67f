/**
 * The Agent Client Protocol (ACP), version 1, between editors and agents: {@link
 * dev.repartee.acp.AcpAgent} serves an agent, and {@link dev.repartee.acp.AcpClient} connects to
 * one. Handlers for files and terminals are in {@link dev.repartee.acp.local}, the types of the
 * messages in {@link dev.repartee.acp.types}.
 */
@NullMarked
package dev.repartee.acp;

import org.jspecify.annotations.NullMarked;

/**
 * Servers of A2A. {@link dev.repartee.a2a.server.A2aServer} serves an {@link
 * dev.repartee.a2a.server.Agent} to clients of both versions, and keeps its tasks in a {@link
 * dev.repartee.a2a.server.TaskStore}.
 */
@NullMarked
package dev.repartee.a2a.server;

import org.jspecify.annotations.NullMarked;

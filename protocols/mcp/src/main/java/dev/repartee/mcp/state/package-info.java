/**
 * The state of clients between their requests: sessions ({@link
 * dev.repartee.mcp.state.SessionState}) and their memory, pending notifications, and the sealed
 * state of requests, which the clients keep. Not exported.
 */
@NullMarked
package dev.repartee.mcp.state;

import org.jspecify.annotations.NullMarked;

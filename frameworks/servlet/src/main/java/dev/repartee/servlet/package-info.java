/** JSON-RPC over HTTP, server-sent events and WebSocket, in a servlet container. */
@NullMarked
package dev.repartee.servlet;

import org.jspecify.annotations.NullMarked;

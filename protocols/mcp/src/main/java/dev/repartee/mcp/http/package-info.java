/**
 * The HTTP transports of all revisions. {@link dev.repartee.mcp.http.StreamableHttpHandler} routes
 * the requests to the server, a {@link dev.repartee.mcp.http.Backend}. Not exported.
 */
@NullMarked
package dev.repartee.mcp.http;

import org.jspecify.annotations.NullMarked;

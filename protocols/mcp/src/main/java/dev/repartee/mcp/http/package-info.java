/**
 * The HTTP transports of all revisions, for a {@link dev.repartee.mcp.http.Backend}. Not exported.
 */
@NullMarked
package dev.repartee.mcp.http;

import org.jspecify.annotations.NullMarked;

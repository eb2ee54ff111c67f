/**
 * The HTTP transports of a client, as channels: {@link
 * dev.repartee.mcp.client.http.StreamableHttpChannel} for Streamable HTTP of all revisions, {@link
 * dev.repartee.mcp.client.http.EventStreamChannel} for HTTP with SSE of 2024-11-05. Not exported.
 *
 * <p>They use the HTTP client of the JDK and not the transport of {@code repartee-netty}: that one
 * hides HTTP behind frames, while MCP needs the headers of single requests and answers, GET and
 * DELETE, statuses, and repetitions after a refused authorization. A protocol may name no transport
 * either, and so a client over HTTP needs no further library.
 */
@NullMarked
package dev.repartee.mcp.client.http;

import org.jspecify.annotations.NullMarked;

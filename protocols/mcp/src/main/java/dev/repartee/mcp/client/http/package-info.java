/**
 * The HTTP transports of a client, as channels: {@link
 * dev.repartee.mcp.client.http.StreamableHttpChannel} for Streamable HTTP of all revisions, {@link
 * dev.repartee.mcp.client.http.EventStreamChannel} for HTTP with SSE of 2024-11-05. Not exported.
 *
 * <p>The frames of a JSON-RPC transport hide HTTP. MCP needs the headers of single requests and
 * answers, GET and DELETE, statuses, and repetitions after a refused authorization. Therefore these
 * channels send their requests with a {@link dev.repartee.transport.http.HttpSender}. An installed
 * transport such as {@code repartee-netty} provides the sender; without one it is {@link
 * dev.repartee.mcp.client.http.JdkSender}, which is slower but does not need another library.
 */
@NullMarked
package dev.repartee.mcp.client.http;

import org.jspecify.annotations.NullMarked;

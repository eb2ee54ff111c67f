package dev.repartee.mcp.http;

import dev.repartee.transport.Attribute;
import java.time.Duration;

/** An SSE stream that the client can resume. Thread-safe. */
public interface Resumable {
  /** The attribute of a call with the stream that carries its messages. */
  Attribute<Resumable> KEY = Attribute.named("MCP stream");

  /** Closes the connection, not the stream; the client reconnects after the given time. */
  void closeSseStream(Duration retry);
}

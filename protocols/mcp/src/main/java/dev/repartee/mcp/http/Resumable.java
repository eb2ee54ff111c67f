package dev.repartee.mcp.http;

import dev.repartee.transport.Attribute;
import java.time.Duration;

/** An SSE stream that the client can resume. Thread-safe. */
public interface Resumable {
  /** The attribute of a call that contains the stream for its messages. */
  Attribute<Resumable> KEY = Attribute.named("MCP stream");

  /** Closes the connection but not the stream. The client reconnects after the given time. */
  void closeSseStream(Duration retry);
}

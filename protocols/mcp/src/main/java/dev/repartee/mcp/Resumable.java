package dev.repartee.mcp;

import java.time.Duration;

/** An SSE stream that the client can resume. Thread-safe. */
interface Resumable {
  /** The attribute of a call with the stream that carries its messages. */
  String KEY = "dev.repartee.mcp.stream";

  /** Closes the connection, not the stream; the client reconnects after the given time. */
  void closeSseStream(Duration retry);
}

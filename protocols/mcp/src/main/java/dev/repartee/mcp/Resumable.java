package dev.repartee.mcp;

import java.time.Duration;

/** A stream that a client can come back to. Thread-safe. */
interface Resumable {
  /** Where a call finds the one that carries what it says. */
  String KEY = "dev.repartee.mcp.stream";

  /** Ends the connection that carries it, not the stream. */
  void letGo(Duration retry);
}

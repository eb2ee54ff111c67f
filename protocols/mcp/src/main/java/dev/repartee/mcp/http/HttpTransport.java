package dev.repartee.mcp.http;

/** The ways in which the revisions use HTTP. */
public enum HttpTransport {
  /** HTTP with SSE (2024-11-05): one event stream, and a POST for each message. */
  SSE,
  /** Streamable HTTP with sessions (2025-03-26 to 2025-11-25). */
  SESSIONS,
  /** Streamable HTTP without sessions (2026-07-28): each POST is served on its own. */
  STATELESS
}

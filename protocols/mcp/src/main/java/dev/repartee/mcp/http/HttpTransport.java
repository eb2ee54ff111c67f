package dev.repartee.mcp.http;

/** How a revision uses HTTP. */
public enum HttpTransport {
  /** HTTP with SSE (2024-11-05): one event stream, and a POST for each message. */
  SSE,
  /** Streamable HTTP with sessions (2025-03-26 to 2025-11-25). */
  SESSIONS,
  /** Streamable HTTP without sessions (2026-07-28): each POST is independent. */
  STATELESS
}

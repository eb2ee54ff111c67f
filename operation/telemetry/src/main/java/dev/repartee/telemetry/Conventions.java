package dev.repartee.telemetry;

/** The semantic conventions of OpenTelemetry that name spans, metrics and attributes. */
public enum Conventions {
  /** The conventions for RPC and JSON-RPC (semantic conventions 1.45). */
  RPC,

  /**
   * The conventions for the Model Context Protocol, which replace those for RPC: tools, prompts,
   * resources, sessions. The context travels in {@code params._meta}.
   */
  MCP
}

package dev.repartee.mcp.types;

import org.jspecify.annotations.Nullable;

/** The revisions of MCP, oldest first. */
public enum Revision {
  /** The first revision. HTTP with a separate SSE stream, which SEP-2577 has deprecated. */
  V2024_11_05("2024-11-05"),
  /** Adds Streamable HTTP, batches, audio, tool annotations. */
  V2025_03_26("2025-03-26"),
  /** Removes batches; adds structured content and elicitation. */
  V2025_06_18("2025-06-18"),
  /**
   * Adds icons, polling of SSE streams, elicitation in URL mode. The last revision with a
   * handshake.
   */
  V2025_11_25("2025-11-25"),
  /** Stateless: each request names its revision, client and capabilities. */
  V2026_07_28("2026-07-28");

  /** The newest revision with a handshake. */
  public static final Revision LAST_WITH_HANDSHAKE = V2025_11_25;

  private final String label;

  Revision(String label) {
    this.label = label;
  }

  /** Returns the name of the revision in messages, a date such as {@code 2025-11-25}. */
  public String label() {
    return label;
  }

  /** Returns whether requests are self-contained, without a handshake and a session. */
  public boolean isStateless() {
    return isAtLeast(V2026_07_28);
  }

  /** Returns whether this revision is the other revision or a later one. */
  public boolean isAtLeast(Revision other) {
    return compareTo(other) >= 0;
  }

  /** Returns the revision of that name, or null if it is not supported. */
  public static @Nullable Revision of(String label) {
    for (Revision revision : values()) {
      if (revision.label.equals(label)) {
        return revision;
      }
    }
    return null;
  }

  @Override
  public String toString() {
    return label;
  }
}

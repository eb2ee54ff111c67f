package dev.repartee.mcp;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The revisions of the protocol, in the order of their release. */
public enum Revision {
  /** The first: HTTP with a separate stream of events. */
  V2024_11_05("2024-11-05"),
  /** Streamable HTTP, batches, audio, annotations of tools. */
  V2025_03_26("2025-03-26"),
  /** No batches any more; structured results, elicitation. */
  V2025_06_18("2025-06-18"),
  /** Icons, polling, elicitation by URL. The last with a handshake. */
  V2025_11_25("2025-11-25"),
  /** Stateless: each request says who asks and in which revision. */
  V2026_07_28("2026-07-28");

  /** The newest that begins with a handshake. */
  static final Revision LAST_WITH_HANDSHAKE = V2025_11_25;

  private final String label;

  Revision(String label) {
    this.label = label;
  }

  /** Its name on the wire, a date. */
  public String label() {
    return label;
  }

  /** Whether requests stand for themselves, with no handshake and no session. */
  public boolean isStateless() {
    return isAtLeast(V2026_07_28);
  }

  /** Whether this is that revision or a later one. */
  public boolean isAtLeast(Revision other) {
    return compareTo(other) >= 0;
  }

  /** The revision of that name, or null if it is none that is known here. */
  public static @Nullable Revision of(String label) {
    for (Revision revision : values()) {
      if (revision.label.equals(label)) {
        return revision;
      }
    }
    return null;
  }

  /** Their names, the newest first. */
  static List<String> labels(boolean stateless) {
    return Arrays.stream(values())
        .filter(revision -> revision.isStateless() == stateless)
        .sorted(java.util.Comparator.reverseOrder())
        .map(Revision::label)
        .toList();
  }

  @Override
  public String toString() {
    return label;
  }
}

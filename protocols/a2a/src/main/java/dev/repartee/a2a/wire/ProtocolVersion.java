package dev.repartee.a2a.wire;

import org.jspecify.annotations.Nullable;

/** The versions of the protocol. Patch numbers are ignored (section 3.6). */
public enum ProtocolVersion {
  /** Version 0.3. */
  V0_3("0.3"),
  /** Version 1.0. */
  V1_0("1.0");

  /** The header and the query parameter with the version of a request (sections 3.6.1, 14.2.1). */
  public static final String HEADER = "a2a-version";

  private final String number;

  ProtocolVersion(String number) {
    this.number = number;
  }

  /** Returns the major and the minor number. */
  public String number() {
    return number;
  }

  /** Returns the version with a number, such as 1.0 or 1.0.2; null if it is unknown. */
  public static @Nullable ProtocolVersion of(String text) {
    for (ProtocolVersion version : values()) {
      if (text.equals(version.number) || text.startsWith(version.number + ".")) {
        return version;
      }
    }
    return null;
  }
}

package dev.repartee.a2a.types;

/** The sender of a message (section 4.1.5). */
public enum Role {
  /** Not known. */
  UNSPECIFIED,
  /** The client. */
  USER,
  /** The agent. */
  AGENT
}

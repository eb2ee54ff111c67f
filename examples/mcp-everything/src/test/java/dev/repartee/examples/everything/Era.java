package dev.repartee.examples.everything;

/** How a client of one revision speaks. */
enum Era {
  /** With a handshake and a session; a server asks by requests. */
  SESSIONS("2025-11-25"),
  /** Each request stands for itself; a server asks by results that are no answer yet. */
  STATELESS("2026-07-28");

  final String revision;

  Era(String revision) {
    this.revision = revision;
  }
}

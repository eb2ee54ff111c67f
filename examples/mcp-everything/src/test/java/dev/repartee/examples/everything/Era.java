package dev.repartee.examples.everything;

/** The two kinds of clients, each with one revision. */
enum Era {
  /** With a handshake and a session; the server asks questions by requests. */
  SESSIONS("2025-11-25"),
  /** Each request is independent; the server asks questions by results that demand input. */
  STATELESS("2026-07-28");

  final String revision;

  Era(String revision) {
    this.revision = revision;
  }
}

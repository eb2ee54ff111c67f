package dev.repartee.mcp.state;

/** The session of a client as the transport sees it. Thread-safe. */
public interface SessionState {
  /**
   * Reserves memory for the session and for a handshake of up to that many bytes.
   *
   * @return false if the memory budget of all sessions or of the owner is exhausted
   */
  boolean reserve(long bytes);

  /**
   * Returns whether the memory budget of the owner has room for a session with such a handshake.
   */
  boolean ownerHasRoom(long bytes);

  /** Returns the counted memory of the session in bytes. */
  long held();

  /** Returns whether batches are accepted: only in 2025-03-26. */
  boolean takesBatches();

  /**
   * Returns whether streams begin with an empty event with an id, from which the client can resume
   * them. Clients before 2025-11-25 might not expect that event.
   */
  boolean takesEmptyEvents();
}

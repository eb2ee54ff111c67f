package dev.repartee.mcp.state;

/** The session of a client as the transport sees it. Thread-safe. */
public interface SessionState {
  /**
   * Reserves memory for the session and for a handshake of up to that many bytes.
   *
   * @return false if the memory budget of all sessions, or that of the owner, is exhausted
   */
  boolean reserve(long bytes);

  /** Whether the memory budget of the owner has room for a session with such a handshake. */
  boolean ownerHasRoom(long bytes);

  /** Returns the counted memory of the session in bytes. */
  long held();

  /** Whether batches are accepted: in 2025-03-26 only. */
  boolean takesBatches();

  /**
   * Whether streams begin with an empty event that has an id, so that the client can resume them;
   * clients before 2025-11-25 might not expect it.
   */
  boolean takesEmptyEvents();
}

package dev.repartee.dap;

/** A debug adapter that sends events or requests to its client. */
public interface DapSessionAware {
  /**
   * Receives the session, once, before {@code initialize} is handled.
   *
   * @param session sends messages to the client; thread-safe
   */
  void connect(DapSession session);
}

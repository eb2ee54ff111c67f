package dev.repartee.broker;

import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The state of the connection to a broker, as its link reports it. Guarded by the lock of the
 * channel.
 *
 * <pre>
 *   connected --lost()--> lost --unreachable()--> unreachable
 *       ^                   |                          |
 *       +----connected()----+--------------------------+
 * </pre>
 */
final class ConnectionState {
  private final String broker;

  private boolean connected = true;

  /**
   * The failure of the last attempt to connect again; null if none has failed, or while connected.
   */
  private @Nullable IOException fault;

  /** The number of connections so far. */
  private int number;

  /**
   * @param broker the name of the broker for error messages
   */
  ConnectionState(String broker) {
    this.broker = broker;
  }

  boolean isConnected() {
    return connected;
  }

  /**
   * Returns whether an attempt to connect again has failed: in this state only some messages wait.
   */
  boolean isUnreachable() {
    return fault != null;
  }

  /** Returns the number of this connection, which distinguishes an old failure from a new one. */
  int number() {
    return number;
  }

  void connected() {
    connected = true;
    fault = null;
    number++;
  }

  void lost() {
    connected = false;
    fault = null;
  }

  void unreachable(IOException why) {
    connected = false;
    fault = why;
  }

  /** Records that nothing could be sent over the connection with that number. */
  void refused(int failed) {
    connected &= number != failed;
  }

  /** Returns the exception of a message that is not sent while the broker is unreachable. */
  DisconnectedException refusal() {
    return refusal(fault);
  }

  DisconnectedException refusal(@Nullable IOException why) {
    return DisconnectedException.unsent(
        "the message was not sent, because " + broker + " is unreachable"
            + (why == null ? "" : ": " + why.getMessage()) + "; the connection is tried again",
        "the service or its broker is unreachable",
        why);
  }
}

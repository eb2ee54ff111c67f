package dev.repartee.internal;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * The encryption of the connections of one {@code tls:} endpoint, as client or as server.
 * Thread-safe.
 */
public interface StreamSecurity {
  /**
   * Begins the handshake on a connected socket, which is not blocking.
   *
   * @param continuation runs on another thread when {@link Handshake#proceed} is to be called again
   *     after it returned {@link Handshake#BUSY}; null to run the expensive steps in {@code proceed}
   */
  Handshake open(SocketChannel socket, @Nullable Runnable continuation) throws IOException;

  /** The handshake of one connection. Used by one thread at a time. */
  interface Handshake {
    /** The result of {@link #proceed} while another thread runs an expensive step. */
    int BUSY = -1;

    /** The result of {@link #proceed} after the handshake. */
    int DONE = 0;

    /**
     * Continues the handshake as far as possible without waiting for the socket.
     *
     * @return the operation of {@link SelectionKey} to wait for, {@link #BUSY} or {@link #DONE}
     * @throws IOException if the handshake fails; the message names the reason and a remedy. The
     *     peer was notified as far as the socket accepted it
     */
    int proceed() throws IOException;

    /**
     * Reads bytes that arrive while another thread runs a step, without processing them.
     *
     * @return false if the peer has disconnected
     */
    boolean readAhead() throws IOException;

    /** Returns the bytes under encryption; after the handshake only. */
    Wire wire();

    /**
     * Returns the reason why the peer was refused, and the remedy, in a sentence for the operator;
     * null if the handshake failed for another reason.
     */
    @Nullable String refusal();
  }
}

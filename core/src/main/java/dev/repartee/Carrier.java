package dev.repartee;

import dev.repartee.json.Json;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a peer that sends its messages over other peers, such as a peer of {@link
 * dev.repartee.reconnect.Reconnecting} or {@link dev.repartee.balance.Balanced}. The messages have
 * no text: {@link Peer#carry} sends them. Only single calls arrive as messages; notifications,
 * batches and streams go to {@link #current}. Thread-safe.
 */
public interface Carrier extends MessageChannel {
  /**
   * Sends a call now or later, or fails it. Waits only as a call over a connection does.
   *
   * @throws RuntimeException if the call is not accepted; its caller gets the exception
   */
  @Override
  void send(OutgoingMessage call);

  /** Throws an exception: the peers of connections write the frames. */
  @Override
  default OutboundFrame open() {
    throw new IllegalStateException("a carrier sends no frames itself");
  }

  /**
   * Returns the peer that carries notifications, batches and streams now.
   *
   * @throws DisconnectedException if there is none
   */
  Peer current();

  /**
   * Returns the peer that carries a notification or a stream now; by default {@link #current()}.
   *
   * @param method the name of the method
   * @param params returns the params; null if there are none
   * @throws DisconnectedException if there is none
   */
  default Peer current(String method, Supplier<? extends @Nullable Json> params) {
    return current();
  }

  /** Returns whether the calls of a method are declared idempotent, besides single calls. */
  boolean isIdempotent(String method);

  /** Returns the end of a sentence about a call that had no answer in time; empty if connected. */
  String state();
}

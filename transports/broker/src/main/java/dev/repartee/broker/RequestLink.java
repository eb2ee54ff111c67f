package dev.repartee.broker;

import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one client to a broker, over which it sends requests to one service. The module
 * of a broker implements it; {@link RequestChannel} does everything else. The link connects again
 * after a loss, and restores its subscriptions.
 *
 * <p>{@link #start} is called once, before everything else. Then one thread at a time calls the
 * methods; only {@link #close} may be called concurrently. All methods except {@link #offer} are
 * called by the thread of the channel, and may block while the broker accepts nothing.
 */
public interface RequestLink {
  /** Sets the receiver of replies and of the events of the connection. Must not call it yet. */
  void start(Events events);

  /**
   * Sends a request or a notification. {@link Events#accepted} or {@link Events#refused} follows.
   *
   * @throws DisconnectedException if there is currently no connection: nothing was sent, and
   *     {@link Events#connected} follows later. If the connection ends while the message is
   *     written, {@link Events#lost} is called instead
   */
  void send(OutgoingRequest request);

  /** Returns whether {@link #offer} ever sends a request. False by default. */
  default boolean offers() {
    return false;
  }

  /**
   * Sends a request as {@link #send} does, on the thread of a caller, if this is possible without
   * waiting. This avoids a hand-over to another thread. Reports only {@link Events#accepted} before
   * it returns.
   *
   * @return whether it was sent; if not, {@link #send} follows
   */
  default boolean offer(OutgoingRequest request) {
    return false;
  }

  /**
   * Returns whether a message without a reply may be sent again after a loss, because the broker
   * drops a second copy with the same key. False by default: then the outcome of the first message
   * is unknown.
   */
  default boolean dropsCopies() {
    return false;
  }

  /**
   * Requests the workers of the service to cancel a request. Does nothing without a connection.
   *
   * @param key the key of the request
   */
  void cancel(String key);

  /**
   * Allows a worker to send more messages before its reply. Does nothing without a connection.
   *
   * @param worker the address in {@link Reply#worker}
   * @param key the key of the request
   * @param bytes the number of bytes that were delivered since the last grant
   */
  void grant(String worker, String key, long bytes);

  /** Ends the connection. Does not wait. No event follows. */
  void close();

  /**
   * The receiver of the events of a link. The link calls it on a {@link BrokerThread}, or on another
   * {@link dev.repartee.transport.ReadingThread}, on one thread at a time.
   */
  interface Events {
    /** Receives a reply, or a message before it. */
    void reply(Reply reply);

    /** Reports that the broker has accepted a message. */
    void accepted(String key);

    /**
     * Reports that the broker has not accepted a message, and that no worker receives it.
     *
     * @param unsent the reason for the callers of a gateway, see {@link
     *     DisconnectedException#unsent()}
     * @param reason the reason and the remedy, in a sentence
     */
    void refused(String key, String unsent, String reason);

    /**
     * Reports that no reply to a message follows, although a worker may have handled it.
     *
     * @param reason the reason and the remedy, in a sentence
     */
    void unanswered(String key, String reason);

    /**
     * Reports that the connection was lost. The link connects again. Workers may have received the
     * messages that were sent before.
     */
    void lost(IOException cause);

    /** Reports that an attempt to connect again has failed. The link continues to try. */
    void unreachable(IOException cause);

    /** Reports that there is a connection again. */
    void connected();

    /**
     * Receives an event of the service.
     *
     * @param done runs after the event was delivered, on the thread of the channel. Undelivered
     *     events are kept in memory; the link must limit their number
     */
    void event(byte[] body, Runnable done);

    /** Reports a message that violates a rule of the transport and belongs to no request. */
    void violation(String what, @Nullable Throwable cause);
  }
}

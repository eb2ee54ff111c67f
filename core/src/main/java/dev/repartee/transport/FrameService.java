package dev.repartee.transport;

import java.util.OptionalInt;

/**
 * Serves frames that arrive without a connection, each on its own and in no order, as in HTTP
 * requests. A transport gets it from its {@link Transport.Acceptor}. Immutable and thread-safe.
 *
 * <p>The transport has to limit the size of a frame and the number of frames that are served at
 * once.
 */
public interface FrameService {
  /**
   * Returns a copy of this service for the frames of one channel.
   *
   * @param attributes facts about the caller that the transport knows, such as HTTP headers: the
   *     initial attributes of its calls
   */
  FrameService of(ChannelInfo channel, Attributes attributes);

  /**
   * Serves a frame. Some methods run before this method returns; others may begin later.
   *
   * @param replies receives the reply, if there is one, as its last frame, and before it
   *     notifications, such as those of progress, if it {@linkplain FrameSink#streams() streams}
   */
  InFlight serve(byte[] frame, int from, int to, FrameSink replies);

  /**
   * Returns the HTTP status of a response, for transports that carry frames over HTTP.
   *
   * @param errorCode the {@linkplain OutboundFrame#errorCode() error code} of the response
   */
  int httpStatus(OptionalInt errorCode);

  /** Returns the HTTP status of a reply without a message, as to a notification. */
  int httpNotificationStatus();

  /** A frame that is being served. Thread-safe. */
  interface InFlight {
    /**
     * Runs the action when no call of the frame runs any more and all replies were sent; at once if
     * that is so now. The action runs on the thread that finished last, so it must not block.
     */
    void whenDone(Runnable action);

    /** Cancels all running calls without an answer, because the client has disconnected. */
    void abandon();
  }
}

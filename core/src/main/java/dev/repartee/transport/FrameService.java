package dev.repartee.transport;

import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * Serves frames that arrive without a connection, each on its own and in no order, as in HTTP
 * requests. A transport gets it from its {@link Transport.Acceptor}. Immutable and thread-safe.
 *
 * <p>The transport has to limit the size of a frame and the number of frames that are served in
 * parallel.
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
   * Returns whether the sender of each frame is authenticated. A transport cannot ask such a service
   * about itself. False by default.
   */
  default boolean authenticates() {
    return false;
  }

  /**
   * Serves a frame. Some methods run before this method returns; others may begin later.
   *
   * @param replies receives the reply, if there is one, as its last frame, and before it
   *     notifications, such as progress, if it {@linkplain FrameSink#streams() streams}
   */
  InFlight serve(byte[] frame, int from, int to, FrameSink replies);

  /**
   * Serves a frame as {@link #serve} does, with the handlers on the calling thread, where they see
   * its context: the transaction, the user, the MDC of the log. The elements of a batch run one
   * after another. Other threads run only the messages that wait for an earlier one with a {@link
   * java.util.concurrent.CompletionStage}, the items of streams, and everything if the service has
   * an {@linkplain dev.repartee.Options.Builder#executor executor}. The default calls {@link
   * #serve}, for a service that has no threads.
   *
   * @param started receives the frame before a handler runs that may block
   */
  default void serveHere(
      byte[] frame, int from, int to, FrameSink replies, Consumer<? super InFlight> started) {
    started.accept(serve(frame, from, to, replies));
  }

  /**
   * Answers all requests of a frame with an error, and runs none of its messages. For a transport
   * that has to refuse a frame.
   *
   * @param message the reason, in a sentence for the caller
   */
  InFlight refuse(byte[] frame, int from, int to, int code, String message, FrameSink replies);

  /**
   * Returns whether serving a frame twice has the same effect as once: all its messages belong to
   * methods that are declared idempotent ({@link dev.repartee.Rpc#idempotent}), or are invalid. For
   * transports that may deliver a message twice.
   */
  boolean isIdempotent(byte[] frame, int from, int to);

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
     * Runs the action when all calls of the frame have ended and all replies were sent; runs it
     * immediately if that is already the case. The action runs on the thread that finished last,
     * and must not block.
     */
    void whenDone(Runnable action);

    /** Cancels all running calls without an answer, because the client has disconnected. */
    void abandon();
  }
}

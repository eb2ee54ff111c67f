package dev.repartee;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A duplex connection that carries frames to and from one peer. A transport provides channels;
 * request ids, calls and time-outs belong to the {@link Peer} above it.
 *
 * <p>One thread at a time delivers frames to the {@link Receiver}, in order of arrival. Frames are
 * sent in the order of {@link #commit}. {@link Limits#outboundBytes} bounds the write queue: while
 * more bytes of answers are queued, the channel stops reading, so that a peer that does not read
 * its answers causes no more of them. If the peer does not read for {@link Limits#drainTimeout},
 * the connection ends.
 *
 * <p>The two directions may end separately. {@link Receiver#inputEnded} reports that the peer sends
 * nothing more, or that no further message can be found in its input. Answers may be committed
 * until {@link #close()}, which must follow. {@link Receiver#hungUp} reports that the peer reads no
 * more either, if the transport can detect that. {@link Receiver#closed} reports the end of both
 * directions.
 */
public interface Channel extends FrameSink {
  /** Starts delivering frames. Called once, before every other method except {@link #info()}. */
  void start(Receiver receiver);

  /** Continues delivering: the receiver is ready again. Called from any thread. */
  void resume();

  /**
   * {@inheritDoc}
   *
   * <p>On a channel, application threads wait here too, before they send a call or a notification.
   */
  @Override
  boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException;

  /**
   * Sends the write queue, then ends the connection. Called from any thread; returns at once. No
   * more frames are delivered, and {@link Receiver#closed} follows when the queue is empty. If the
   * peer reads nothing for {@link Limits#drainTimeout}, the connection ends without the rest. A
   * second call has no effect.
   */
  void close();

  /**
   * Ends the connection at once and discards the write queue. {@link Receiver#closed} follows with
   * this cause. Called from any thread.
   *
   * @param cause the reason, in a message for people; null for an orderly end
   */
  void abort(@Nullable Throwable cause);

  @Override
  default boolean streams() {
    return true;
  }

  /** Ends the connection as {@link #abort} does. */
  @Override
  default void breakOff(Throwable cause) {
    abort(cause);
  }

  /**
   * Returns the initial {@link Call#attributes()} of the calls that arrive on this channel: facts
   * that the transport has about the peer, such as the headers of a handshake. Called for each
   * message, on the thread that delivers it, before {@link Receiver#frame} returns. A transport
   * with credentials in each message may return different attributes for each.
   */
  default Attributes attributes() {
    return Attributes.NONE;
  }

  /**
   * Returns whether this channel trades CPU time for latency: a thread that waits for an answer
   * spins for a moment before it sleeps.
   */
  default boolean isLowLatency() {
    return false;
  }

  /**
   * Ends the transport requests in which all calls were {@linkplain OutboundFrame#isGivenUp given up}, if
   * each frame travels as a request of its own, as over HTTP. Called from any thread after a call
   * was given up; returns at once.
   *
   * @return whether the end of a request cancels its calls at the peer; false if a cancellation
   *     message is needed
   */
  default boolean endGivenUp() {
    return false;
  }

  /** Returns a description of this channel for people. */
  ChannelInfo info();
}

package dev.repartee;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A duplex path of frames to one peer: a transport is only that. Ids, calls and time-outs live above
 * it, in {@link Peer}.
 *
 * <p>Frames are delivered by one thread at a time, in order of arrival; they leave in the order of
 * {@link #commit}. What waits to leave is bounded by {@link Limits#outboundBytes}: while more than
 * that is waiting the channel stops reading, so that a peer that does not read its answers gets no
 * more of them, and one that does not read for {@link Limits#drainTimeout} is cut off.
 *
 * <p>The two ways may end one by one. {@link Receiver#inputEnded} tells that the peer has nothing more
 * to say, or that no further message can be found in what it says; answers may be committed until
 * {@link #close()}, which must follow. {@link Receiver#hungUp} tells that it reads no more either, where
 * the transport knows. {@link Receiver#closed} tells the end of both ways.
 */
public interface Channel extends Outlet {
  /** Starts delivering. Called once, before anything else but {@link #info()}. */
  void start(Receiver receiver);

  /** The receiver is ready again; called from any thread. */
  void resume();

  /** As there, for calls and notifications of application threads too. */
  @Override
  boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException;

  /**
   * Sends what is queued, then ends the connection; from any thread. Returns at once; nothing more is
   * delivered, and {@link Receiver#closed} follows when all has left. A peer that takes nothing of
   * what is queued for {@link Limits#drainTimeout} is cut off. Calling it again changes nothing.
   */
  void close();

  /**
   * Ends the connection at once, from any thread; what is queued is lost, and {@link Receiver#closed}
   * follows with this cause.
   */
  void abort(@Nullable Throwable cause);

  @Override
  default boolean streams() {
    return true;
  }

  /** As {@link #abort}. */
  @Override
  default void breakOff(Throwable cause) {
    abort(cause);
  }

  /**
   * What every call that comes in on it begins with as its {@link Call#attributes()}: what the
   * transport knows of the peer, such as the headers of a handshake. The engine asks for each message
   * on the thread that delivers it, before {@link Receiver#frame} returns. So a transport whose
   * messages come with credentials of their own may return another map for each.
   */
  default Map<String, Object> attributes() {
    return Map.of();
  }

  /**
   * Whether low latency is worth CPU time: who waits for an answer on it looks for it for a moment
   * before it sleeps.
   */
  default boolean isLowLatency() {
    return false;
  }

  /**
   * Ends the requests whose calls were all {@linkplain Output#isGivenUp given up}, where each frame
   * travels as a request of its own. Called from any thread after a call was given up; returns at once.
   *
   * @return whether the peer learns from the end of a request that its calls are cancelled; false where
   *     a message has to tell the peer
   */
  default boolean endGivenUp() {
    return false;
  }

  /** What this channel is. */
  ChannelInfo info();
}

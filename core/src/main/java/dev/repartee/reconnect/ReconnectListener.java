package dev.repartee.reconnect;

import dev.repartee.Peer;
import dev.repartee.internal.Text;
import dev.repartee.internal.log.FailureLog;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Receives the events of a peer that reconnects, one at a time and in order. The methods must not
 * block: the threads that read and open connections call them. Exceptions that they throw are
 * ignored. No method is called for the closing of the peer by this side.
 */
public interface ReconnectListener {
  /** A listener that ignores all events. */
  ReconnectListener NONE = new ReconnectListener() {};

  /**
   * The default listener. Writes each failure to the {@link System.Logger} with the name {@code
   * dev.repartee}, at the level {@code WARNING}: at most 20 in ten seconds.
   */
  ReconnectListener LOG = new ReconnectListener() {
    private final FailureLog log = new FailureLog();

    @Override
    public void retrying(int attempt, Duration delay, Throwable cause) {
      log.write(
          "not connected: " + Text.of(cause) + "; attempt " + attempt + " follows in "
              + delay.toMillis() + " ms",
          null);
    }

    @Override
    public void gaveUp(Throwable cause) {
      log.write(Text.of(cause), null);
    }
  };

  /**
   * Reports that a connection is open and that {@link Reconnecting#onConnected} has run.
   *
   * @param peer the peer of this connection
   * @param attempt the number of the attempt that succeeded, from 1 on
   */
  default void connected(Peer peer, int attempt) {}

  /**
   * Reports that the connection was lost, or that the other side is closing it and accepts no new
   * calls. {@link #retrying} or {@link #gaveUp} follows.
   *
   * @param cause the failure that ended the connection, or null if the other side closes it in
   *     order
   */
  default void disconnected(@Nullable Throwable cause) {}

  /**
   * Reports that an attempt to connect follows.
   *
   * @param attempt the number of that attempt, from 1 on
   * @param delay the time until that attempt
   * @param cause the reason why the connection was lost, or why the last attempt failed
   */
  default void retrying(int attempt, Duration delay, Throwable cause) {}

  /** Reports that no further attempt follows; the peer ends with this cause. */
  default void gaveUp(Throwable cause) {}
}

package dev.repartee.broker;

import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A link over a {@link Reconnection}: it has a session while there is a connection, and reports the
 * state of the connection to the channel. The module of a broker sets up the sessions and sends
 * over them.
 *
 * @param <C> the connection of the client library
 * @param <S> the state of one connection, such as its subscriptions
 */
public abstract class ReconnectingLink<C, S> implements RequestLink, Reconnection.User<C> {
  private volatile @Nullable Events events;
  private volatile @Nullable S session;

  /** Whether a connection was open before. Used by one thread at a time. */
  private boolean again;

  /** Creates a link without a connection. */
  protected ReconnectingLink() {}

  /**
   * Sets up a new connection, such as its subscriptions; may block.
   *
   * @param again whether a connection was open before
   * @throws IOException if that fails; see {@link Reconnection.User#opened}
   */
  protected abstract S openSession(C connection, boolean again) throws IOException;

  /** Returns the session of the connection; null while there is none. */
  protected final @Nullable S session() {
    return session;
  }

  /** Returns the receiver of the events of this link. Must be called after {@link #start}. */
  protected final Events listener() {
    return Objects.requireNonNull(events);
  }

  @Override
  public final void start(Events events) {
    this.events = events;
  }

  @Override
  public final void opened(C connection) throws IOException {
    session = openSession(connection, again);
    if (again) {
      listener().connected();
    }
    again = true;
  }

  @Override
  public final void lost(IOException cause) {
    session = null;
    listener().lost(cause);
  }

  @Override
  public final void failed(IOException cause) {
    listener().unreachable(cause);
  }

  /** Drops the session. A subclass also closes its connection. */
  @Override
  public void close() {
    session = null;
  }
}

package dev.repartee.xmpp;

import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A session that is opened again after each loss, by a thread that exists only until then. The
 * pauses between attempts grow from {@link #SHORTEST} to {@link #LONGEST}, less a random part, so
 * that not all clients come at once. Thread-safe.
 */
final class Reconnection implements Session.Receiver {
  private static final int SHORTEST = 200;
  private static final int LONGEST = 10_000;

  /** The pause after another login has taken the resource: both would do so in turns otherwise. */
  private static final int CONFLICT = 60_000;

  /** The user of the sessions. The first three methods are called by one thread at a time. */
  interface User {
    /**
     * Sets up a new session.
     *
     * @throws IOException if that fails; the session is closed and another attempt follows
     */
    void opened(Session session) throws IOException;

    /** Reports that the connection was lost. */
    void lost(IOException cause);

    /** Reports that an attempt to connect again has failed. */
    void failed(IOException cause);

    /** Waits a moment for room for the effects of a stanza; returns whether there is. */
    boolean hasRoom() throws InterruptedException;

    /** Receives a stanza. Called by the thread of the session. */
    void received(Session session, Element stanza) throws IOException;

    /** Reports that the server has taken all that was sent before a ping. */
    void ponged(Session session, long ping);

    /** Reports that a stanza could not be handled. */
    void unhandled(Exception cause);
  }

  private final XmppConnector connector;
  private final User user;

  // Guarded by this.
  private @Nullable Session current;

  /** The session that has ended before it was taken, and the reason. */
  private @Nullable Session early;

  private @Nullable IOException cause;
  private boolean closed;

  Reconnection(XmppConnector connector, User user) {
    this.connector = connector;
    this.user = user;
  }

  /**
   * Opens the first session.
   *
   * @throws IOException if that fails; no further attempt follows
   */
  void open() throws IOException {
    Session session = connector.connect(this);
    try {
      user.opened(session);
      take(session);
    } catch (IOException | RuntimeException e) {
      session.lose(new IOException("it was given up", e));
      throw e;
    }
  }

  private void take(Session session) throws IOException {
    synchronized (this) {
      if (early == session && cause != null) {
        throw cause;
      }
      if (!closed) {
        current = session;
        return;
      }
    }
    session.lose(new IOException("it was closed"));
  }

  @Override
  public boolean hasRoom() throws InterruptedException {
    return user.hasRoom();
  }

  @Override
  public void received(Session session, Element stanza) throws IOException {
    user.received(session, stanza);
  }

  @Override
  public void ponged(Session session, long ping) {
    user.ponged(session, ping);
  }

  @Override
  public void failed(Session session, Exception e) {
    if (!(e instanceof IOException)) { // which is the end of the connection
      user.unhandled(e);
    }
  }

  @Override
  public void ended(Session session, IOException why) {
    synchronized (this) {
      if (current != session) {
        early = session;
        cause = why;
        return;
      }
      current = null;
      if (closed) {
        return;
      }
    }
    Threads.run(() -> reconnect(why));
  }

  private void reconnect(IOException why) {
    user.lost(why);
    if (Faults.isConflict(why)) {
      pause(CONFLICT);
    }
    for (int pause = SHORTEST; !isClosed(); pause = Math.min(LONGEST, 2 * pause)) {
      Session session = null;
      try {
        session = connector.connect(this);
        user.opened(session);
        take(session);
        return;
      } catch (IOException | RuntimeException e) {
        IOException fault = e instanceof IOException io ? io : new IOException(Faults.text(e), e);
        if (session != null) {
          session.lose(fault);
        }
        user.failed(fault);
      }
      pause(pause / 2 + ThreadLocalRandom.current().nextInt(pause / 2));
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private synchronized void pause(int millis) {
    long end = System.nanoTime() + millis * 1_000_000L;
    try {
      for (long left = end - System.nanoTime();
          !closed && left > 0;
          left = end - System.nanoTime()) {
        wait(left / 1_000_000 + 1);
      }
    } catch (InterruptedException e) {
      closed = true; // nobody but the end of the JVM interrupts this thread
    }
  }

  /** Ends the connection and returns its session, to be closed; nothing is reported any more. */
  synchronized @Nullable Session close() {
    closed = true;
    Session last = current;
    current = null;
    notifyAll();
    return last;
  }
}

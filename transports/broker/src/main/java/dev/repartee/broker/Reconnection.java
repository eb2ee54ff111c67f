package dev.repartee.broker;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.internal.Times;
import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import dev.repartee.reconnect.Backoff;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a broker that is opened again after each loss, by a thread that exists only until
 * then. {@link #BACKOFF} has the pauses between attempts. A connection that was not stable counts as
 * a failed attempt; after a stable one the first attempt follows immediately. Thread-safe.
 *
 * @param <C> the connection of the client library
 */
public final class Reconnection<C> {
  /**
   * The pauses between attempts: up to 100 ms after the first failure, twice as much after each
   * further one, up to 5 s. A connection is stable after 5 s.
   */
  public static final Backoff BACKOFF = Backoff.DEFAULT
      .initial(Duration.ofMillis(100))
      .max(Duration.ofSeconds(5))
      .stableAfter(Duration.ofSeconds(5));

  /** Opens connections. */
  @FunctionalInterface
  public interface Opener<C> {
    /**
     * Opens a connection; may block.
     *
     * @param ended receives the reason when the connection has ended. May be called on any thread,
     *     several times, and before this method returns; does not block
     * @throws IOException if that fails, with the reason and the remedy
     */
    C open(Consumer<IOException> ended) throws IOException;
  }

  /** The user of the connections. Its methods are called by one thread at a time. */
  public interface User<C> {
    /**
     * Sets up a new connection, such as its subscriptions; may block.
     *
     * @throws IOException if that fails; the connection is closed and another attempt follows
     */
    void opened(C connection) throws IOException;

    /** Reports that the connection was lost. */
    void lost(IOException cause);

    /** Reports that an attempt to connect again has failed. */
    void failed(IOException cause);

    /**
     * Returns the pause before the next attempt; {@code usual} by default.
     *
     * @param cause the loss or the failure that was reported last
     * @param usual the default pause; zero after the loss of a stable connection
     */
    default Duration pause(IOException cause, Duration usual) {
      return usual;
    }
  }

  private final Executor threads;
  private final Opener<C> opener;
  private final Consumer<C> end;
  private final User<C> user;
  private final Clock clock;

  /** The failures since the last stable connection. Used by one thread at a time. */
  private int failures;

  // Guarded by this.
  private @Nullable Attempt current;
  private boolean closed;

  /** One connection, from the attempt to open it to its end. */
  private final class Attempt {
    @Nullable C connection;

    // Guarded by the reconnection.
    /** Why the connection has ended; null until then. */
    @Nullable IOException ended;

    /** The time when the connection became the current one. */
    long start;

    C open() throws IOException {
      C opened = opener.open(this::ended);
      connection = opened;
      return opened;
    }

    void ended(IOException why) {
      boolean wasStable;
      synchronized (Reconnection.this) {
        if (ended != null) {
          return;
        }
        ended = why;
        if (current != this) {
          return; // it is not the current one yet, or no longer
        }
        current = null;
        wasStable = BACKOFF.isStable(Duration.ofNanos(clock.nanos() - start));
      }
      report(this::end);
      Threads.start(threads, () -> reconnect(why, wasStable));
    }

    void end() {
      if (connection != null) {
        end.accept(connection);
      }
    }
  }

  /**
   * Creates a connection that is not open yet.
   *
   * @param name the name of the thread that connects again
   * @param limits have the clock
   * @param end ends a connection; is called on any thread and must not block
   */
  public Reconnection(String name, Limits limits, Opener<C> opener, Consumer<C> end, User<C> user) {
    this(task -> new BrokerThread(task, name).start(), opener, end, user, TimeLimits.clock(limits));
  }

  Reconnection(Executor threads, Opener<C> opener, Consumer<C> end, User<C> user, Clock clock) {
    this.threads = threads;
    this.opener = opener;
    this.end = end;
    this.user = user;
    this.clock = clock;
  }

  /**
   * Opens the first connection.
   *
   * @throws IOException if that fails; no further attempt follows
   */
  public void open() throws IOException {
    Attempt attempt = new Attempt();
    C connection = attempt.open();
    try {
      user.opened(connection);
      if (!takes(attempt)) {
        throw Objects.requireNonNull(attempt.ended);
      }
    } catch (Throwable e) {
      attempt.end();
      throw e;
    }
  }

  /** Makes a connection the current one; returns false if it has already ended. */
  private boolean takes(Attempt attempt) {
    synchronized (this) {
      if (attempt.ended != null) {
        return false;
      }
      if (!closed) {
        current = attempt;
        attempt.start = clock.nanos();
        return true;
      }
    }
    attempt.end();
    return true;
  }

  private void reconnect(IOException why, boolean wasStable) {
    report(() -> user.lost(why));
    if (wasStable) {
      failures = 0;
    }
    pause(user.pause(why, wasStable ? Duration.ZERO : BACKOFF.delay(++failures)));
    while (!isClosed()) {
      IOException fault = attempt();
      if (fault == null) {
        return;
      }
      pause(user.pause(fault, BACKOFF.delay(++failures)));
    }
  }

  /** Connects; if this fails, reports the reason to the user and returns it. */
  private @Nullable IOException attempt() {
    Attempt attempt = new Attempt();
    try {
      user.opened(attempt.open());
      if (takes(attempt)) {
        return null;
      }
    } catch (Throwable e) { // errors, too: no other thread would make the next attempt
      IOException fault = e instanceof IOException io ? io : new IOException(Causes.text(e), e);
      report(attempt::end);
      report(() -> user.failed(fault));
      return fault;
    }
    IOException end = Objects.requireNonNull(attempt.ended);
    report(attempt::end);
    report(() -> user.lost(end)); // it was in use since it was opened
    return end;
  }

  /** Runs an action whose failure must not end the attempts. */
  private static void report(Runnable action) {
    try {
      action.run();
    } catch (Throwable e) {
      // The next attempt reports its own failure.
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private synchronized void pause(Duration time) {
    if (time.isZero()) {
      return;
    }
    try {
      long end = clock.nanos() + Times.nanos(time);
      while (!closed && clock.nanos() < end) {
        clock.await(this, end);
      }
    } catch (InterruptedException e) {
      closed = true; // only the end of the JVM interrupts this thread
    }
  }

  /**
   * Ends the current connection because of a fault, as if it were lost. Does nothing if another one
   * is in use.
   *
   * @param why the fault
   */
  public void lose(C connection, IOException why) {
    Attempt attempt;
    synchronized (this) {
      attempt = current;
    }
    if (attempt != null && attempt.connection == connection) {
      attempt.ended(why);
    }
  }

  /** Ends the connection. Does not wait. Nothing is reported after this. */
  public void close() {
    Attempt last;
    synchronized (this) {
      closed = true;
      last = current;
      current = null;
      notifyAll();
    }
    if (last != null) {
      last.end();
    }
  }
}

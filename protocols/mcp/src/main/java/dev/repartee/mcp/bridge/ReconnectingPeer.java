package dev.repartee.mcp.bridge;

import dev.repartee.Peer;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a {@link RemoteService}. Connects on demand, and again after the connection was
 * lost. All waiting callers share one attempt, and attempts are at least one second apart. This
 * protects a service that is down or that closes each connection. Thread-safe.
 */
final class ReconnectingPeer implements AutoCloseable {
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The maximum time that a caller waits for the connection. */
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Starts a thread for each attempt: a connector that hangs blocks only this thread. */
  static final Executor THREADS = step -> Threads.start("repartee-mcp-redial", step);

  private final RemoteService.Connector connector;
  private final Duration limit;
  private final Executor threads;

  // Guarded by this. The lock is never held while connecting. "attempt" is not null from the moment
  // when the first caller without a connection schedules it to its end.
  private @Nullable Peer peer;
  private @Nullable CompletableFuture<Peer> attempt;
  private long notBefore = System.nanoTime();
  private boolean closed;

  ReconnectingPeer(RemoteService.Connector connector) {
    this(connector, LIMIT, THREADS);
  }

  /**
   * Creates a connection.
   *
   * @param limit the maximum time that a caller waits
   * @param threads runs the attempts
   */
  ReconnectingPeer(RemoteService.Connector connector, Duration limit, Executor threads) {
    this.connector = connector;
    this.limit = limit;
    this.threads = threads;
  }

  /**
   * Returns the open connection. Waits until a connection is open.
   *
   * @throws IOException if connecting fails, or takes longer than the limit; in the second case the
   *     attempt continues, and a later caller may get its connection
   */
  Peer peer() throws IOException {
    CompletableFuture<Peer> shared;
    synchronized (this) {
      if (closed) {
        throw new IOException("the connection was closed by this side");
      } else if (peer != null && peer.isOpen()) {
        return peer;
      }
      shared = attempt == null ? begin() : attempt;
    }
    return await(shared);
  }

  /** Schedules an attempt. With the lock. */
  private CompletableFuture<Peer> begin() {
    CompletableFuture<Peer> shared = new CompletableFuture<>();
    Duration pause = Duration.ofNanos(notBefore - System.nanoTime());
    Clock.SYSTEM.schedule(pause, threads, () -> make(shared));
    attempt = shared;
    return shared;
  }

  /** Returns a connection to replace {@code over}, which is closed. */
  Peer insteadOf(Peer over) throws IOException {
    forget(over);
    return peer();
  }

  /** Makes later callers connect again. The caller closes the old connection. */
  synchronized void forget(Peer over) {
    if (peer == over) {
      peer = null;
    }
  }

  private void make(CompletableFuture<Peer> shared) {
    try {
      Peer made = connector.connect();
      settle(made);
      shared.complete(made);
    } catch (IOException | RuntimeException | Error e) {
      settle(null);
      shared.completeExceptionally(e);
    }
  }

  private void settle(@Nullable Peer made) {
    boolean late;
    synchronized (this) {
      attempt = null;
      peer = made;
      notBefore = System.nanoTime() + PAUSE_NANOS;
      late = closed;
    }
    if (late && made != null) {
      made.close();
    }
  }

  private Peer await(CompletableFuture<Peer> shared) throws IOException {
    try {
      return shared.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new IOException("no connection within " + limit.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while connecting", e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof RuntimeException unchecked) {
        throw unchecked;
      }
      throw cause instanceof IOException failure ? failure : new IOException(cause);
    }
  }

  @Override
  public void close() {
    Peer last;
    synchronized (this) {
      closed = true;
      last = peer;
    }
    if (last != null) {
      last.close();
    }
  }
}

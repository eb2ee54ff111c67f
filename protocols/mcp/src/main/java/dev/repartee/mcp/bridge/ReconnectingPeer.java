package dev.repartee.mcp.bridge;

import dev.repartee.Peer;
import dev.repartee.internal.Threads;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
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

  private final RemoteService.Connector connector;
  private final Duration limit;

  // Guarded by this. The lock is never held while connecting. "attempt" is not null while a
  // thread connects. The first caller without a connection sets it and starts that thread.
  private @Nullable Peer peer;
  private @Nullable CompletableFuture<Peer> attempt;
  private long notBefore = System.nanoTime();
  private boolean closed;

  ReconnectingPeer(RemoteService.Connector connector) {
    this(connector, LIMIT);
  }

  /** Creates a connection; {@code limit} is the maximum time that a caller waits. */
  ReconnectingPeer(RemoteService.Connector connector, Duration limit) {
    this.connector = connector;
    this.limit = limit;
  }

  /**
   * Returns the open connection. Waits until a connection is open.
   *
   * @throws IOException if connecting fails, or takes longer than the limit; in the second case the
   *     attempt continues, and a later caller may get its connection
   */
  Peer peer() throws IOException {
    CompletableFuture<Peer> shared;
    boolean ours;
    synchronized (this) {
      if (closed) {
        throw new IOException("the connection was closed by this side");
      } else if (peer != null && peer.isOpen()) {
        return peer;
      }
      ours = attempt == null;
      shared = attempt == null ? new CompletableFuture<>() : attempt;
      attempt = shared;
    }
    if (ours) {
      // A connector that hangs blocks only this thread; the callers wait at most for the limit.
      Threads.start("repartee-mcp-redial", () -> make(shared));
    }
    return await(shared);
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
      TimeUnit.NANOSECONDS.sleep(turn() - System.nanoTime());
      Peer made = connector.connect();
      settle(made);
      shared.complete(made);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      settle(null);
      shared.completeExceptionally(new IOException("interrupted while connecting", e));
    } catch (IOException | RuntimeException | Error e) {
      settle(null);
      shared.completeExceptionally(e);
    }
  }

  private synchronized long turn() {
    return notBefore;
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

package dev.repartee.mcp;

import dev.repartee.Peer;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is made again when it was lost and somebody wants it. Whoever wants it meanwhile
 * shares the attempt, and there is one a second at most: a service that is down, or ends each
 * connection, is not stormed. Thread-safe.
 */
final class Redial implements AutoCloseable {
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The most time that a caller waits for the connection. */
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final RemoteService.Connector connector;
  private final Duration limit;

  // Guarded by this, which is never held while connecting.
  private @Nullable Peer peer;
  private @Nullable CompletableFuture<Peer> attempt;
  private long notBefore = System.nanoTime();
  private boolean closed;

  Redial(RemoteService.Connector connector) {
    this(connector, LIMIT);
  }

  /** One whose callers wait no longer than {@code limit}. */
  Redial(RemoteService.Connector connector, Duration limit) {
    this.connector = connector;
    this.limit = limit;
  }

  /**
   * Returns the connection; waits until it is made.
   *
   * @throws IOException if it cannot be made, or not within the limit; the attempt goes on then
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
      // On a thread of its own: a connector that hangs takes that one, and none of the callers'.
      Thread thread = new Thread(() -> make(shared), "repartee-mcp-redial");
      thread.setDaemon(true);
      thread.start();
    }
    return await(shared);
  }

  /** The connection in the place of one that turned out to be over. */
  Peer insteadOf(Peer over) throws IOException {
    synchronized (this) {
      if (peer == over) {
        peer = null;
      }
    }
    return peer();
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

package dev.repartee.mcp;

import dev.repartee.Peer;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is made again when it was lost and somebody wants it. Whoever wants it meanwhile
 * shares the attempt, and there is one a second at most: a service that is down, or ends each
 * connection, is not stormed. Thread-safe.
 */
final class Redial implements AutoCloseable {
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final RemoteService.Connector connector;

  // Guarded by this, which is never held while connecting.
  private @Nullable Peer peer;
  private @Nullable CompletableFuture<Peer> attempt;
  private long notBefore = System.nanoTime();
  private boolean closed;

  Redial(RemoteService.Connector connector) {
    this.connector = connector;
  }

  /** The connection; waits until it is made. */
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
      make(shared);
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

  private static Peer await(CompletableFuture<Peer> shared) throws IOException {
    try {
      return shared.get();
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

package dev.repartee.netty.tls;

import dev.repartee.internal.Threads;
import io.netty.channel.Channel;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Runs the expensive steps of one connection's TLS handshake, which are signatures and certificate
 * checks of a millisecond or more, on threads that all connections share. On the event loop they
 * would delay the calls of other connections.
 *
 * <p>The queue of the shared threads is limited indirectly. A connection counts as open until its
 * queued tasks have finished, even if its socket is closed. The limit {@code connections} therefore
 * also limits the queue, even if clients send a ClientHello and disconnect. Tasks of a closed
 * socket are skipped.
 *
 * <p>Threading: {@link #execute} is called on the event loop, the release on the event loop or on a
 * shared thread; {@code holds} is atomic for this reason.
 */
public final class HandshakeTasks implements Executor {
  private static final Executor SHARED =
      Threads.bounded(Runtime.getRuntime().availableProcessors(), "repartee-tls");

  private final Channel channel;
  private final Runnable ended;

  /** One for the open socket, and one for each of its tasks. The connection has ended at zero. */
  private final AtomicInteger holds = new AtomicInteger(1);

  /**
   * Creates the executor of one connection.
   *
   * @param ended runs once, when the socket is closed and no task is left
   */
  public HandshakeTasks(Channel channel, Runnable ended) {
    this.channel = channel;
    this.ended = ended;
    channel.closeFuture().addListener(closed -> release());
  }

  @Override
  public void execute(Runnable task) {
    holds.incrementAndGet();
    execute(task, channel::isOpen, this::release);
  }

  /**
   * Runs a task on a shared thread.
   *
   * @param isOpen whether the connection is open; the task is skipped otherwise
   * @param ended runs after the task, on the same thread
   */
  static void execute(Runnable task, BooleanSupplier isOpen, Runnable ended) {
    SHARED.execute(() -> {
      try {
        if (isOpen.getAsBoolean()) {
          task.run();
        }
      } finally {
        ended.run();
      }
    });
  }

  private void release() {
    if (holds.decrementAndGet() == 0) {
      ended.run();
    }
  }
}

package dev.repartee.netty;

import io.netty.channel.Channel;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs the signatures and certificate checks of one connection's TLS handshake, a millisecond or more
 * each, on threads that all connections share. On its event loop they would delay the calls of other
 * connections.
 *
 * <p>The connection counts as open until its queued tasks have run too. So the limit of connections
 * bounds the queue, also against clients that send the first message of a handshake and leave.
 */
final class HandshakeTasks implements Executor {
  private static final int KEPT_SECONDS = 5;

  private static final AtomicInteger THREADS = new AtomicInteger();
  private static final Executor SHARED = start(Runtime.getRuntime().availableProcessors());

  private final Channel channel;
  private final Runnable ended;

  /** One for the open connection, one for each of its tasks. */
  private final AtomicInteger holds = new AtomicInteger(1);

  /** {@code ended} runs once, when the connection is closed and has no task left. */
  HandshakeTasks(Channel channel, Runnable ended) {
    this.channel = channel;
    this.ended = ended;
    channel.closeFuture().addListener(closed -> release());
  }

  private static Executor start(int threads) {
    ThreadPoolExecutor executor = new ThreadPoolExecutor(
        threads, threads, KEPT_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
          Thread thread = new Thread(task, "repartee-tls-" + THREADS.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        });
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  @Override
  public void execute(Runnable task) {
    holds.incrementAndGet();
    SHARED.execute(() -> {
      try {
        if (channel.isOpen()) {
          task.run();
        }
      } finally {
        release();
      }
    });
  }

  private void release() {
    if (holds.decrementAndGet() == 0) {
      ended.run();
    }
  }
}

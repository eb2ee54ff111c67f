package dev.repartee.stream.flow;

import dev.repartee.internal.UserCode;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * An iterator as a publisher for one subscriber. It runs on an executor while there is demand, on
 * one thread at a time, and keeps no thread in between. An iterator that blocks keeps its thread.
 */
final class Iteration<T> implements Flow.Publisher<T>, Flow.Subscription, Runnable {
  private final Iterator<T> items;
  private final @Nullable AutoCloseable source;
  private final Executor executor;
  private Flow.@Nullable Subscriber<? super T> to; // set before the first run

  // Guarded by this.
  private long demand;

  /** Whether a thread runs the iterator, or will. */
  private boolean running;

  private boolean over;

  /**
   * @param source is closed at the end; null for none
   */
  Iteration(Iterator<T> items, @Nullable AutoCloseable source, Executor executor) {
    this.items = items;
    this.source = source;
    this.executor = executor;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super T> subscriber) {
    if (to != null) {
      throw new IllegalStateException("an iterator has one subscriber");
    }
    to = subscriber;
    subscriber.onSubscribe(this);
  }

  @Override
  public void request(long n) {
    synchronized (this) {
      demand = Demand.add(demand, n);
      if (running || over) {
        return;
      }
      running = true;
    }
    try {
      executor.execute(this);
    } catch (Throwable e) { // no thread could be started
      synchronized (this) {
        running = false;
      }
      throw e;
    }
  }

  @Override
  public void cancel() {
    synchronized (this) {
      if (over) {
        return;
      }
      over = true;
      if (running) {
        return; // that thread closes the source
      }
    }
    close();
  }

  @Override
  public void run() {
    Flow.Subscriber<? super T> receiver = Objects.requireNonNull(to);
    try {
      // The next item is looked for without demand, so that the end needs none.
      while (proceeds() && items.hasNext()) {
        if (pauses()) {
          return; // the next demand starts another run, or a cancellation closes the source
        }
        if (proceeds()) {
          receiver.onNext(items.next());
        }
      }
    } catch (Throwable e) {
      close();
      receiver.onError(e);
      return;
    }
    close();
    if (proceeds()) {
      receiver.onComplete();
    }
  }

  private synchronized boolean proceeds() {
    return !over;
  }

  /** Reduces the demand by one; returns true if there is none, which ends this run. */
  private synchronized boolean pauses() {
    if (over) {
      return false;
    }
    running = demand > 0;
    demand -= running && demand != Long.MAX_VALUE ? 1 : 0;
    return !running;
  }

  private void close() {
    if (source != null) {
      UserCode.close(source);
    }
  }
}

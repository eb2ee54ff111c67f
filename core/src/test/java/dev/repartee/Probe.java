package dev.repartee;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;

/** A subscriber that requests what the test says. */
class Probe<T> implements Flow.Subscriber<T> {
  final BlockingQueue<T> items = new LinkedBlockingQueue<>();
  final CompletableFuture<Boolean> end = new CompletableFuture<>();
  final CompletableFuture<Flow.Subscription> subscribed = new CompletableFuture<>();

  private final long demand;

  Probe() {
    this(0);
  }

  /**
   * @param demand the number of items to request at the start
   */
  Probe(long demand) {
    this.demand = demand;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    if (demand > 0) {
      subscription.request(demand);
    }
    subscribed.complete(subscription);
  }

  @Override
  public void onNext(T item) {
    items.add(item);
  }

  @Override
  public void onError(Throwable failure) {
    end.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    end.complete(true);
  }

  Throwable failure() throws Exception {
    try {
      end.get(60, SECONDS);
    } catch (ExecutionException e) {
      return e.getCause();
    }
    throw new AssertionError("the stream has completed");
  }
}

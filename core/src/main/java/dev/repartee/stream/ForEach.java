package dev.repartee.stream;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A subscriber that passes each item to a consumer. */
final class ForEach<T> implements Flow.Subscriber<T> {
  final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
  private final Consumer<? super T> consumer;

  ForEach(Consumer<? super T> consumer) {
    this.consumer = consumer;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    done.whenComplete((nothing, failure) -> subscription.cancel()); // has no effect after the end
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(T item) {
    try {
      consumer.accept(item);
    } catch (Throwable e) {
      done.completeExceptionally(e);
    }
  }

  @Override
  public void onError(Throwable failure) {
    done.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    done.complete(null);
  }
}

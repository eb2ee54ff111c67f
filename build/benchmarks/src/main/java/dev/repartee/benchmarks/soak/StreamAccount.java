package dev.repartee.benchmarks.soak;

import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.message.RpcError;
import dev.repartee.stream.LaggedException;
import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The account of all streams of a soak, and their ends. Thread-safe. */
final class StreamAccount extends Account {
  /** The behaviour of a subscriber. */
  enum Kind {
    /** Requests all items. */
    ALL,
    /** Requests a few items at a time, and processes them slowly. */
    SLOW,
    /** Cancels when it has got the last item that it wants; the stream has no end. */
    CANCELS,
    /** Is cancelled by another thread soon after the start. */
    CANCELLED,
    /** Requests all items of a stream that ends with an error. */
    BROKEN,
    /** Requests all items of a subscription. */
    SUBSCRIPTION
  }

  /** The maximum time to the end of a stream, sufficient on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  final LongAdder items = new LongAdder();

  /** Returns a subscriber for a stream. */
  Subscriber subscriber(Kind kind, int count, int size) {
    started(kind);
    return new Subscriber(kind, count, size);
  }

  /** A subscriber that checks the order and the end of its items. */
  final class Subscriber implements Flow.Subscriber<String> {
    private static final int FEW = 8;

    private final Kind kind;
    private final int count;
    private final int size;
    private final CountDownLatch over = new CountDownLatch(1);
    private final AtomicBoolean cancelled = new AtomicBoolean();
    private final AtomicBoolean signalled = new AtomicBoolean();
    private volatile Flow.@Nullable Subscription subscription;
    private volatile int next; // written by one signal at a time

    private Subscriber(Kind kind, int count, int size) {
      this.kind = kind;
      this.count = count;
      this.size = size;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      given.request(kind == Kind.SLOW ? FEW : Long.MAX_VALUE);
    }

    @Override
    public void onNext(String item) {
      int number = next;
      next = number + 1;
      items.increment();
      if (signalled.get()) {
        fault(kind + ": an item after the end");
      }
      if (!item.equals(StreamMethods.item(number, size))) {
        fault(kind + ": item " + number + " is '" + item.substring(0, Math.min(9, item.length()))
            + "'");
      }
      if (kind == Kind.CANCELS && number + 1 == count) {
        cancel();
      } else if (kind == Kind.SLOW && next % FEW == 0) {
        pause();
        subscription().request(FEW);
      }
    }

    private void pause() {
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private Flow.Subscription subscription() {
      Flow.Subscription given = subscription;
      if (given == null) {
        throw new IllegalStateException("an item came before onSubscribe");
      }
      return given;
    }

    /** Cancels the stream, if it was not cancelled or ended before. */
    void cancel() {
      if (cancelled.compareAndSet(false, true)) {
        subscription().cancel();
        end("cancelled");
      }
    }

    @Override
    public void onComplete() {
      signal("completed");
      if (next != count && !cancelled.get()) {
        fault(kind + " completed after " + next + " of " + count + " items");
      }
    }

    @Override
    public void onError(Throwable failure) {
      if (failure instanceof DisconnectedException) {
        signal("disconnected");
      } else if (kind == Kind.BROKEN
          && failure instanceof RpcException error
          && error.error().code() == StreamMethods.BROKEN) {
        signal("failed as intended");
        if (next != count) {
          fault("BROKEN failed after " + next + " of " + count + " items");
        }
      } else if (kind == Kind.SUBSCRIPTION && failure instanceof LaggedException) {
        signal("lagged");
      } else if (isClosing(failure)) {
        signal("refused by a closing server");
      } else {
        signal("failed");
        fault(kind + " failed: " + failure);
      }
    }

    /** Returns whether the call arrived at a server while it closed the connection. */
    private static boolean isClosing(Throwable failure) {
      if (!(failure instanceof RpcException refusal) || refusal.code() != RpcError.BUSY) {
        return false;
      }
      Json data = refusal.data();
      return data != null && Json.of("closing").equals(data.get("limit"));
    }

    private void signal(String how) {
      if (signalled.compareAndSet(false, true)) {
        end(how);
      } else {
        fault(kind + " has ended twice, now " + how);
      }
    }

    private void end(String how) {
      synchronized (this) {
        if (over.getCount() == 0) {
          return; // a cancellation and the end have met
        }
        over.countDown();
      }
      ended(kind, how);
    }

    /** Waits for the end, and notes a stream without one. */
    void await() throws InterruptedException {
      if (!over.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        fault(kind + " has not ended after " + next + " of " + count + " items of " + size);
      }
    }
  }
}

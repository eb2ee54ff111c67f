package dev.repartee.dap;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.Rpc;
import dev.repartee.dap.handlers.DebugClient;
import dev.repartee.transport.ReadingThread;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sends the messages of an adapter after the answers that must precede them: all messages after the
 * answer to {@code initialize}, and the events that stop or end the debuggee after the answer to
 * the request that has resumed it. A message that follows a held message is held, too, which keeps
 * the order of the adapter.
 *
 * <p>Threads: any. The lock is not held while a message is sent.
 */
final class EventOrder implements Layer {
  /** The maximum size of the held messages in bytes. */
  static final int LIMIT = 4 << 20;

  private static final int OVERHEAD = 256;

  private static final Set<String> STOPS = Set.of("stopped", "exited", "terminated");

  /** The events that DAP defines. Only these are held: a request must not lose its answer. */
  private static final Set<String> EVENTS = Arrays.stream(DebugClient.class.getMethods())
      .map(method -> method.getAnnotation(Rpc.class))
      .filter(rpc -> rpc != null && rpc.notification())
      .map(Rpc::value)
      .collect(Collectors.toUnmodifiableSet());

  private record Held(Call call, Handler next) {
    int size() {
      return OVERHEAD + (call.params() == null ? 0 : call.params().length());
    }
  }

  /** The time that an event waits for the thread that sends the held messages. */
  private final long moment;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition sent = lock.newCondition();
  private final Queue<Held> held = new ArrayDeque<>();
  private int bytes;

  /** Whether the answer to {@code initialize} was sent. */
  private boolean initialized;

  /** The number of unanswered requests that resume the debuggee. */
  private int resuming;

  /** Whether a thread sends the held messages. */
  private boolean sending;

  EventOrder() {
    this(TimeUnit.SECONDS.toNanos(1));
  }

  /**
   * @param moment the time in nanoseconds that an event waits until the held messages are sent
   */
  EventOrder(long moment) {
    this.moment = moment;
  }

  @Override
  public @Nullable Object handle(Call call, Handler next) throws Exception {
    boolean isEvent = EVENTS.contains(call.method());
    lock.lock();
    try {
      if (!isEvent && !initialized) {
        throw new IllegalStateException("'" + call.method()
            + "' cannot be sent before the answer to 'initialize'; send it from a later request");
      }
      if (isEvent) {
        Held message = new Held(call, next);
        awaitSender(message); // first: the last held message may have left during the wait
        if (!held.isEmpty() || sending || isHeld(call)) {
          hold(message);
          return null;
        }
      }
    } finally {
      lock.unlock();
    }
    return next.handle(call);
  }

  private boolean isHeld(Call call) {
    return !initialized || resuming > 0 && STOPS.contains(call.method());
  }

  /**
   * Waits until the other thread has sent the held messages that may be sent, since an event that
   * is held behind them might otherwise follow the answer of its handler. Waits only for a short
   * time: a client that does not read must not delay a broadcast. Without room for the event it
   * waits until the other thread has finished, which fails if the client does not read.
   */
  private void awaitSender(Held message) throws InterruptedException {
    long left = moment;
    while (sending && !ReadingThread.isCurrent()) {
      if (left > 0 && !Thread.currentThread().isInterrupted()) {
        left = awaitSent(left);
      } else if (isFull(message)) {
        sent.await();
      } else {
        return;
      }
    }
  }

  /** Returns the remaining time; keeps an interruption for the caller. */
  private long awaitSent(long nanos) {
    try {
      return sent.awaitNanos(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return nanos;
    }
  }

  private void hold(Held message) {
    if (isFull(message)) {
      throw new IllegalStateException("'" + message.call().method() + "' cannot be sent: " + LIMIT
          + " bytes of events wait for the answer to a request; answer it first");
    }
    held.add(message);
    bytes += message.size();
  }

  private boolean isFull(Held message) {
    return !held.isEmpty() && bytes + message.size() > LIMIT;
  }

  /** Holds the events that must follow the answer to a request, until {@link #resumed}. */
  void resuming() {
    lock.lock();
    try {
      resuming++;
    } finally {
      lock.unlock();
    }
  }

  /** Called when a request was answered, after a call of {@link #resuming}. */
  void resumed() {
    lock.lock();
    try {
      resuming--;
    } finally {
      lock.unlock();
    }
    send();
  }

  /** Called when {@code initialize} was answered with a result. */
  void initialized() {
    lock.lock();
    try {
      initialized = true;
    } finally {
      lock.unlock();
    }
    send();
  }

  /** Drops the messages of an {@code initialize} that has failed. */
  void dropHeld() {
    lock.lock();
    try {
      held.clear();
      bytes = 0;
      sent.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Sends the held messages, up to the first one that must follow an answer. */
  private void send() {
    Held next = take(true);
    while (next != null) {
      try {
        next.next().handle(next.call());
      } catch (Throwable e) { // not thrown: other threads wait for the end of the sending
        dropHeld(); // the connection has ended, or the client does not read
      }
      next = take(false);
    }
  }

  private @Nullable Held take(boolean first) {
    lock.lock();
    try {
      if (first && sending) {
        return null; // the other thread sends these, too
      }
      Held next = held.peek();
      sending = next != null && !isHeld(next.call());
      sent.signalAll();
      if (next == null || !sending) {
        return null;
      }
      held.remove();
      bytes -= next.size();
      return next;
    } finally {
      lock.unlock();
    }
  }
}

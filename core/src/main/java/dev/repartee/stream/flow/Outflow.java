package dev.repartee.stream.flow;

import dev.repartee.internal.UserCode;
import dev.repartee.stream.LaggedException;
import dev.repartee.stream.Overflow;
import dev.repartee.stream.Streaming;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The sending end of a stream: asks the publisher for as many items as the receiver has granted,
 * keeps them in a bounded buffer, and passes them to the wire. For the engine. Thread-safe.
 */
public final class Outflow implements Flow.Subscriber<Object>, Runnable {
  /*
   * Implementation note.
   *
   *   publisher --onNext--> waiting --credit--> leaving --Wire.send--> frames
   *
   * Any thread changes the state under the lock and calls signal(). One thread of the executor at a
   * time (turn) does the work, outside the lock: it sends, asks the publisher, and ends the stream.
   * No thread is occupied while there is nothing to do, and items that arrive meanwhile share a
   * frame.
   *
   * The turn is released before the publisher is asked, because a simple publisher calls onNext
   * within request(), perhaps slowly; its items leave meanwhile on another thread. asking keeps the
   * calls of request() apart (rule 2.7 of Reactive Streams).
   *
   * Bounds: waiting and leaving have at most the size of the buffer each. Under WAIT the publisher
   * is asked only for items that have a place in the buffer and that the receiver has granted.
   *
   * Locks. This object guards all fields but leaving and sent, which belong to the turn.
   */

  /** The connection that carries the items. One thread at a time calls it. */
  public interface Wire {
    /**
     * Returns whether a frame can be sent now. If not, {@link Outflow#signal} has to be called when
     * it can.
     */
    boolean hasRoom();

    /**
     * Sends the first items in one frame, at least one of them, and removes them from the queue.
     *
     * @throws RuntimeException if the first item cannot be sent; this ends the stream
     */
    void send(Queue<Object> items);

    /**
     * Ends the stream. Called once, as the last method.
     *
     * @param failure the reason of an early end; null if the publisher has completed
     * @param sent the number of items that were sent
     */
    void end(@Nullable Throwable failure, long sent);
  }

  /** The result of {@link #finishTurn} if there is something new to do. */
  private static final long AGAIN = -1;

  private final Wire wire;
  private final Executor executor;
  private final Overflow overflow;
  private final int buffer;

  // Guarded by this.
  private final Deque<Object> waiting = new ArrayDeque<>();
  private Flow.@Nullable Subscription subscription;

  /** The number of items that may still be removed from {@link #waiting}. */
  private long credit;

  /** The number of items that the publisher was asked for and has not sent. */
  private long asked;

  /** Whether the publisher has completed. */
  private boolean complete;

  /** The reason of an early end: of the publisher or, if {@link #stopped}, of this side. */
  private @Nullable Throwable failure;

  private boolean stopped;

  private boolean turn;

  /** Whether something has changed since the thread with the turn looked. */
  private boolean again;

  private boolean asking;
  private boolean ended;

  // Of the thread that has the turn.
  private final Queue<Object> leaving = new ArrayDeque<>();
  private long sent;

  /** Creates the end of a stream that has no credit yet. */
  public Outflow(Streaming streaming, Wire wire, Executor executor) {
    this.wire = wire;
    this.executor = executor;
    this.overflow = streaming.overflow();
    this.buffer = streaming.sendBuffer();
  }

  /** Subscribes to the publisher. Throws nothing. */
  public void open(Flow.Publisher<?> publisher) {
    try {
      publisher.subscribe(this);
    } catch (Throwable e) {
      stop(e);
    }
  }

  /**
   * Grants more items.
   *
   * @param items more than 0; the sum is at most {@link Long#MAX_VALUE}
   */
  public void grant(long items) {
    synchronized (this) {
      credit = Demand.add(credit, items);
    }
    signal();
  }

  /** Ends the stream early; the items that were not sent are dropped. Does not wait for the end. */
  public void stop(Throwable cause) {
    synchronized (this) {
      if (stopped || ended) {
        return;
      }
      stopped = true;
      if (failure == null) {
        failure = cause;
      }
      waiting.clear();
    }
    signal();
  }

  // ---------------------------------------------------------------- the publisher

  @Override
  public void onSubscribe(Flow.Subscription given) {
    boolean taken;
    synchronized (this) {
      taken = subscription == null && !stopped && !ended;
      if (taken) {
        subscription = given;
      }
    }
    if (taken) {
      signal();
    } else {
      UserCode.run(given::cancel);
    }
  }

  @Override
  public void onNext(Object item) {
    Objects.requireNonNull(item, "a stream has no null items");
    RuntimeException broken = null;
    synchronized (this) {
      if (failure != null || complete) {
        return;
      }
      if (asked == 0) {
        broken = new IllegalStateException("the publisher sends more items than it was asked for");
      } else if (waiting.size() < buffer) {
        waiting.add(item);
      } else if (overflow == Overflow.CLOSE) {
        broken = new LaggedException("the receiver is too slow", buffer);
      } else { // DROP_OLDEST; under WAIT there is always a place
        waiting.remove();
        waiting.add(item);
      }
      asked -= asked == Long.MAX_VALUE ? 0 : 1;
    }
    if (broken != null) {
      stop(broken);
    } else {
      signal();
    }
  }

  @Override
  public void onError(Throwable cause) {
    synchronized (this) {
      if (failure != null || complete) {
        return;
      }
      failure = cause;
      while (waiting.size() > credit) { // an error does not wait for credit
        if (overflow == Overflow.DROP_OLDEST) {
          waiting.removeFirst();
        } else {
          waiting.removeLast(); // the items that arrive have no gap
        }
      }
    }
    signal();
  }

  @Override
  public void onComplete() {
    synchronized (this) {
      complete = true;
    }
    signal();
  }

  // ---------------------------------------------------------------- the turn

  /** Schedules a check of the state, because there may be something to do. */
  public void signal() {
    synchronized (this) {
      again = true;
      if (turn || ended) {
        return;
      }
      turn = true;
    }
    try {
      executor.execute(this);
    } catch (Throwable e) { // no thread could be started, and no other thread would do the work
      run();
    }
  }

  @Override
  public void run() {
    boolean goesOn = true;
    while (goesOn) {
      sendAll();
      endIfOver();
      long wanted = finishTurn();
      goesOn = wanted == AGAIN || wanted > 0 && ask(wanted);
    }
  }

  private void sendAll() {
    try {
      while (take() && wire.hasRoom()) {
        int before = leaving.size();
        wire.send(leaving);
        sent += before - leaving.size();
      }
    } catch (Throwable e) {
      stop(e);
    }
  }

  /**
   * Moves granted items from {@link #waiting} to {@link #leaving}; returns whether any item is
   * leaving.
   */
  private synchronized boolean take() {
    if (stopped) {
      leaving.clear();
    }
    while (credit > 0 && leaving.size() < buffer && !waiting.isEmpty()) {
      leaving.add(waiting.remove());
      credit -= credit == Long.MAX_VALUE ? 0 : 1;
    }
    return !leaving.isEmpty();
  }

  private void endIfOver() {
    Flow.Subscription source;
    Throwable cause;
    synchronized (this) {
      boolean over = failure != null || complete;
      if (ended || !over || !stopped && !(waiting.isEmpty() && leaving.isEmpty())) {
        return;
      }
      ended = true;
      source = stopped ? subscription : null;
      cause = failure;
    }
    if (source != null) {
      UserCode.run(source::cancel);
    }
    wire.end(cause, sent);
  }

  /**
   * Releases the turn, unless there is something new to do.
   *
   * @return the number of items to ask the publisher for, or {@link #AGAIN}
   */
  private synchronized long finishTurn() {
    if (again && !ended) {
      again = false;
      return AGAIN;
    }
    turn = false;
    long wanted = asking || ended ? 0 : demand();
    if (wanted > 0) {
      asking = true;
      asked = Demand.add(asked, wanted);
    }
    return wanted;
  }

  private long demand() {
    if (subscription == null || failure != null || complete) {
      return 0;
    }
    if (overflow != Overflow.WAIT) {
      return asked == 0 ? Long.MAX_VALUE : 0;
    }
    long open = Math.min(buffer - leaving.size(), credit) - waiting.size() - asked;
    // Few requests for many items, but an immediate request if the publisher has nothing left to
    // do.
    return asked == 0 || open > buffer / 4 ? Math.max(0, open) : 0;
  }

  /** Asks the publisher; returns whether this thread has got the turn back. */
  private boolean ask(long wanted) {
    Flow.Subscription source;
    synchronized (this) {
      source = subscription;
    }
    try {
      if (source != null) {
        source.request(wanted);
      }
    } catch (Throwable e) {
      stop(e);
    }
    synchronized (this) {
      asking = false;
      again = true; // credit that arrived meanwhile was not asked for
      if (turn || ended) {
        return false;
      }
      turn = true;
      return true;
    }
  }
}

package dev.repartee.stream.flow;

import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonType;
import dev.repartee.json.UnknownMembers;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.stream.LaggedException;
import dev.repartee.stream.Overflow;
import dev.repartee.stream.Streaming;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The receiving end of a stream: keeps the items that have arrived in a bounded buffer, and passes
 * them to the subscriber as it requests them. For the engine. Thread-safe.
 *
 * @param <T> the type of the items
 */
public final class Inflow<T> implements Flow.Subscription, Runnable {
  /*
   * Implementation note. The reader adds items; one thread of the executor at a time (turn) reads
   * them into Java objects and calls the subscriber, outside the lock. Before it releases the turn,
   * it checks the whole state under the lock, which ensures that no change is missed.
   *
   * Bounds: the buffer has a number of items, and its bytes are charged to the memory budget of the
   * process. With credit the other side may send as many items as there are free places; more break
   * the protocol. Without credit, hasRoom() makes the transport stop reading, but one more frame
   * may arrive. Its items stay text (ArrivedItems), which bounds their memory by the size of a
   * frame. If the budget refuses a text, the items that wait are dropped: the failure of the stream
   * must not wait until a slow subscriber has received them.
   *
   * Locks. This object guards all fields that are not final. The wire and the subscriber are called
   * without the lock.
   */

  /** The way back to the sender. Its methods must not block, and throw nothing. */
  public interface Wire {
    /** Reports that there is room for that many more items. */
    void grant(long items);

    /** Ends the stream at the sender. */
    void cancel();

    /** Reports that the sender broke the protocol; returns the failure of the stream. */
    RuntimeException violation(String what);
  }

  /** The control over a sender. */
  public enum Control {
    /** The sender may send the items that were granted. */
    CREDIT,
    /** The transport stops reading while {@link Inflow#hasRoom} returns false. */
    TRANSPORT,
    /** The sender cannot be slowed down. */
    NONE
  }

  /** The bytes of a buffer that are not charged to the memory budget. */
  private static final int FREE = 64 << 10;

  private final Flow.Subscriber<? super T> to;
  private final JsonType<T> type;
  private final UnknownMembers unknown;
  private final String method;
  private final Overflow overflow;
  private final int buffer;
  private final Control control;
  private final Wire wire;
  private final Executor executor;

  // Guarded by this.
  private final ArrivedItems items = new ArrivedItems();
  private final MemoryBudget.Share share = MemoryBudget.ofProcess().share(FREE);
  private long demand;

  /** The number of items that the sender may send. */
  private long granted;

  /** The number of places that have become free and were not granted. */
  private int freed;

  /** The number of items that have arrived. */
  private long arrived;

  private boolean complete;
  private @Nullable Throwable failure;

  /** Whether a thread calls the subscriber, or will; true until onSubscribe has returned. */
  private boolean turn = true;

  /** Whether the subscriber gets no further signal. */
  private boolean over;

  /**
   * Creates the end of a stream.
   *
   * @param method the called method, for messages
   */
  public Inflow(
      Flow.Subscriber<? super T> to,
      JsonType<T> type,
      UnknownMembers unknown,
      String method,
      Streaming streaming,
      Control control,
      Wire wire,
      Executor executor) {
    this.to = to;
    this.type = type;
    this.unknown = unknown;
    this.method = method;
    this.overflow = streaming.overflow();
    this.buffer = streaming.receiveBuffer();
    this.control = control;
    this.wire = wire;
    this.executor = executor;
  }

  /** Begins the stream at the subscriber; returns whether it still wants the items. */
  public boolean begin() {
    to.onSubscribe(this);
    synchronized (this) {
      turn = false;
    }
    signal(); // it may have requested no item
    return isWanted();
  }

  /** Returns whether the stream has not ended. */
  public synchronized boolean isWanted() {
    return !over && !complete && failure == null;
  }

  /** Grants the sender the whole buffer. */
  public void grantAll() {
    int places;
    synchronized (this) {
      places = buffer - items.size();
      granted = places;
    }
    grant(places);
  }

  /** Returns whether the buffer has room for another frame. */
  public synchronized boolean hasRoom() {
    return over || items.size() < buffer || overflow != Overflow.WAIT;
  }

  // ---------------------------------------------------------------- the sender

  /** Receives an item. */
  public void add(Json item) {
    add(item, List.of(item).iterator(), 1);
  }

  /** Receives the items of an array. */
  public void addAll(Json array) {
    add(array, UnsafeJson.elements(array), UnsafeJson.countElements(array));
  }

  private void add(Json text, Iterator<Json> arriving, int count) {
    boolean excess;
    RuntimeException refusal;
    int grant = 0;
    synchronized (this) {
      if (!isWanted()) {
        return;
      }
      arrived += count;
      granted -= control == Control.CREDIT ? count : 0;
      excess = granted < 0;
      refusal = keep(text, arriving, excess ? (int) (count + granted) : count);
      if (!excess && refusal == null) {
        grant = overflow == Overflow.WAIT ? 0 : free(count);
      }
    }
    if (excess) {
      end(wire.violation("the stream of '" + method + "' has more items than were granted"));
    } else if (refusal != null) {
      end(refusal);
    } else {
      grant(grant);
      signal();
    }
  }

  /** Puts items into the buffer. Returns the reason if they do not fit. Needs the lock. */
  private @Nullable RuntimeException keep(Json text, Iterator<Json> arriving, int count) {
    int fitting = isBounded() && overflow != Overflow.DROP_OLDEST
        ? Math.min(count, buffer - items.size())
        : count;
    items.add(text, arriving, fitting);
    while (overflow == Overflow.DROP_OLDEST && items.size() > buffer) {
      items.remove();
    }
    if (!charge()) {
      items.clear();
      charge();
      return share.refusal();
    }
    return fitting == count
        ? null
        : new LaggedException("the subscriber of '" + method + "' is too slow", buffer);
  }

  private boolean charge() {
    return share.hold(items.weight());
  }

  /** Returns whether the items in the buffer are not bounded by the sender or the transport. */
  private boolean isBounded() {
    return overflow != Overflow.WAIT || control == Control.NONE;
  }

  /** Counts free places; returns the number to grant now, for few messages. */
  private int free(int places) {
    freed += places;
    if (control == Control.NONE || 2 * freed < buffer) {
      return 0;
    }
    int grant = freed;
    freed = 0;
    granted += grant;
    return grant;
  }

  private void grant(int places) {
    if (places > 0) {
      wire.grant(places);
    }
  }

  /**
   * Completes the stream after the items that have arrived.
   *
   * @param sent the number of items that the sender has sent; -1 if it is not known
   */
  public void complete(long sent) {
    long missing;
    synchronized (this) {
      if (!isWanted()) {
        return;
      }
      missing = sent < 0 ? 0 : sent - arrived;
      complete = missing == 0;
    }
    if (missing == 0) {
      signal();
    } else {
      fail(wire.violation("the stream of '" + method + "' had " + sent + " items, but "
          + (sent - missing) + " arrived"));
    }
  }

  /**
   * Fails the stream. The subscriber gets the items that it has requested before. Does nothing
   * after the end.
   */
  public void fail(Throwable cause) {
    synchronized (this) {
      if (!isWanted()) {
        return;
      }
      failure = cause;
    }
    signal();
  }

  /** Fails the stream and ends it at the sender. */
  private void end(Throwable cause) {
    fail(cause);
    wire.cancel();
  }

  // ---------------------------------------------------------------- the subscriber

  @Override
  public void request(long n) {
    if (n <= 0) {
      refuseRequest(n);
      return;
    }
    synchronized (this) {
      demand = Demand.add(demand, n);
    }
    signal();
  }

  private void refuseRequest(long n) {
    boolean tells;
    synchronized (this) {
      tells = isWanted();
      if (failure == null) {
        failure = new IllegalArgumentException("a subscriber requests at least one item, not " + n);
      }
    }
    signal();
    if (tells) {
      wire.cancel();
    }
  }

  @Override
  public void cancel() {
    leave();
  }

  /** Ends the stream without a signal to the subscriber; returns false if it has ended before. */
  private boolean leave() {
    boolean tells;
    synchronized (this) {
      if (over) {
        return false;
      }
      tells = isWanted();
      finish();
    }
    if (tells) {
      UserCode.run(wire::cancel);
    }
    return true;
  }

  /** Ends the stream with a failure of this side. */
  private void refuse(Throwable cause) {
    if (leave()) {
      UserCode.run(() -> to.onError(cause));
    }
  }

  private void finish() {
    over = true;
    items.clear();
    charge();
  }

  private void signal() {
    synchronized (this) {
      if (turn || !hasWork()) {
        return;
      }
      turn = true;
    }
    try {
      executor.execute(this);
    } catch (Throwable e) { // no thread could be started
      refuse(e);
    }
  }

  private boolean hasWork() {
    return !over && (demand > 0 && !items.isEmpty() || isAtEnd());
  }

  /** Returns whether the end is the next signal. A failure does not wait for demand. */
  private boolean isAtEnd() {
    return failure != null && (items.isEmpty() || demand == 0) || complete && items.isEmpty();
  }

  @Override
  public void run() {
    try {
      while (step()) {}
    } catch (Throwable e) { // also of onNext, where the rules of Flow forbid it
      refuse(e); // a stream without its turn and without an end would hold its items for ever
    }
  }

  /** Signals the subscriber once; returns false after releasing the turn. */
  private boolean step() {
    Json next = null;
    int grant = 0;
    synchronized (this) {
      if (!hasWork()) {
        turn = false;
        return false;
      }
      if (!isAtEnd()) {
        next = items.remove();
        demand -= demand == Long.MAX_VALUE ? 0 : 1;
        charge();
        grant = overflow == Overflow.WAIT && isWanted() ? free(1) : 0;
      } else {
        finish();
      }
    }
    if (next == null) {
      finished();
      return false;
    }
    to.onNext(read(next));
    grant(grant);
    return true;
  }

  private T read(Json item) {
    byte[] text = UnsafeJson.array(item);
    try {
      T value = type.read(text, 0, text.length, unknown);
      if (value == null) {
        throw new JsonException("null");
      }
      return value;
    } catch (JsonException e) {
      throw new JsonException("an item of '" + method + "': " + e.getMessage());
    }
  }

  private void finished() {
    Throwable cause;
    synchronized (this) {
      cause = failure;
    }
    UserCode.run(() -> {
      if (cause == null) {
        to.onComplete();
      } else {
        to.onError(cause);
      }
    });
  }
}

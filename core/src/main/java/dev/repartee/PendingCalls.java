package dev.repartee;

import dev.repartee.internal.Clock;
import dev.repartee.internal.HashTable;
import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.message.Codec;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.MessageChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The outgoing calls of one connection that wait for their responses, and the ids of the calls that
 * were cancelled or timed out. Assigns the ids. Thread-safe.
 */
final class PendingCalls {
  /*
   * Implementation note.
   *
   * Life of a call:
   *
   *   add --> pending --> removed by one of:
   *                         answer  its response arrived
   *                         remove  it cannot be sent, or will get no response
   *                         giveUp  its future was ended by the user  (id is remembered)
   *                         expire  its time-out passed               (id is remembered)
   *                         close   the connection ended
   *
   * Exactly one thread removes a call, and that thread completes the future. This ensures that each
   * future is completed once, however response, time-out, cancellation and disconnect race.
   *
   * Locking: this object guards all of its fields, and the table's fields and the flag answered of
   * each Pending. Nothing else runs under the lock: no future is completed, no frame is written and
   * no listener is called, because all of these can run user code that makes another call.
   *
   * Invariants:
   *
   * - No call is added after close(): the table stays empty.
   * - A call that is given up leaves the table and has its id remembered in one step under the
   *   lock. As two steps, a response that arrives between them would be reported as a violation.
   * - The field due is not later than the earliest time-out of a pending call. There is no timer
   *   for each call; the clock watches only this bound.
   * - A method allocates memory before it removes a call. If a call were removed before an
   *   OutOfMemoryError, its future would never complete.
   */

  /** The number of given-up ids that are remembered. A power of two: the id's low bits index it. */
  private static final int GIVEN_UP = 256;

  private static final long[] NONE = {};

  /** The pending calls by id. Ids are consecutive and spread evenly over the buckets. */
  private final HashTable<Pending<?>> table = new HashTable<>();

  private final int limit;
  private final @Nullable LongSupplier numbering;
  private long lastId;
  private long due = Clock.NEVER;

  /**
   * The ids of the last given-up calls, since late responses to them may still arrive; 0 if free.
   */
  private long[] givenUp = NONE;

  /** The number of ids that were overwritten in {@link #givenUp} before their response arrived. */
  private long forgotten;

  /** The reason of the disconnect for the user; null while the connection is open. */
  private @Nullable String closed;

  private @Nullable Throwable closedBy;

  /** The number of calls that were answered. */
  private long answers;

  /** The reason and the action of {@link #closeWhenEmpty}. */
  private @Nullable String closing;

  private @Nullable Runnable whenEmpty;

  /**
   * Creates an empty set of calls.
   *
   * @param limit the maximum number of pending calls, {@link Limits#pendingCalls}
   * @param numbering {@link Codec#numbering} or {@link MessageChannel#numbering}
   */
  PendingCalls(int limit, @Nullable LongSupplier numbering) {
    this.limit = limit;
    this.numbering = numbering;
  }

  // ---------------------------------------------------------------- adding

  /**
   * Assigns an id to a call and adds it.
   *
   * @return whether {@link #due} has become earlier, so that the {@link Clock} has to know
   * @throws LimitException if {@link Limits#pendingCalls} calls are pending
   * @throws DisconnectedException if the connection has ended
   */
  synchronized boolean add(Pending<?> call) {
    requireOpen();
    if (table.size() >= limit) {
      throw new LimitException("pendingCalls", limit);
    }
    return restore(call);
  }

  /** Adds a call as {@link #add} does, without a limit: it was pending before. */
  synchronized boolean restore(Pending<?> call) {
    requireOpen();
    table.add(nextId(), call);
    call.table = this;
    boolean sooner = call.due < due;
    if (sooner) {
      due = call.due;
    }
    return sooner;
  }

  private long nextId() {
    lastId = numbering == null ? lastId + 1 : numbering.getAsLong();
    return lastId;
  }

  /** Assigns an id to a call without a future. Its response is ignored, and no violation. */
  synchronized long nextUnawaited() {
    long id = nextId();
    remember(id);
    return id;
  }

  synchronized boolean isOpen() {
    return closed == null;
  }

  synchronized void requireOpen() {
    if (closed != null) {
      throw new DisconnectedException(closed, closedBy);
    }
  }

  // ---------------------------------------------------------------- looking up

  synchronized int size() {
    return table.size();
  }

  /** Returns the number of calls that were answered so far. */
  synchronized long answers() {
    return answers;
  }

  /** Returns the call with this id; null if there is none. */
  @Nullable Pending<?> find(Json id) {
    byte[] literal = UnsafeJson.array(id);
    long number = id(literal, 0, literal.length);
    synchronized (this) {
      return table.find(number);
    }
  }

  /**
   * Parses an id literal. Returns -1 unless it has the form of the ids that this class assigns:
   * plain decimal digits, no leading zero, at most 18 digits.
   */
  static long id(byte[] b, int from, int to) {
    int length = to - from;
    if (length == 0 || length > 18 || b[from] == '0') {
      return -1;
    }
    long number = 0;
    for (int i = from; i < to; i++) {
      if (b[i] < '0' || b[i] > '9') {
        return -1;
      }
      number = number * 10 + b[i] - '0';
    }
    return number;
  }

  // ---------------------------------------------------------------- removing

  /**
   * Removes a call after its response has arrived; returns null if no call with that id is pending.
   */
  synchronized @Nullable Pending<?> answer(long id) {
    return answer(table.find(id));
  }

  /**
   * Removes the only pending call as {@link #answer} does; returns null if there is not just one.
   */
  synchronized @Nullable Pending<?> answerLone() {
    return table.size() == 1 ? answer(all().get(0)) : null;
  }

  /**
   * Removes the call that was made first, as {@link #answer} does; returns null if there is none,
   * or if an earlier call was cancelled or timed out and has no answer yet.
   */
  synchronized @Nullable Pending<?> answerFirst() {
    Pending<?> first = null;
    for (Pending<?> call : all()) {
      first = first == null || call.id() < first.id() ? call : first;
    }
    for (long id : givenUp) {
      if (first != null && id != 0 && id < first.id()) {
        return null;
      }
    }
    return answer(first);
  }

  private @Nullable Pending<?> answer(@Nullable Pending<?> call) {
    if (call != null) {
      remove(call);
      call.answered = true;
      answers++;
    }
    return call;
  }

  /** Removes a call; returns false if another thread has removed it before. */
  synchronized boolean remove(Pending<?> call) {
    if (call.table != this) {
      return false; // a Carried may be in another table, which this lock does not guard
    }
    call.table = null;
    boolean removed = table.remove(call);
    closeIfEmpty();
    return removed;
  }

  /**
   * Adds no more calls once none is pending, and runs an action on another thread then. Calls may be
   * added until that moment.
   */
  synchronized void closeWhenEmpty(String why, Runnable then) {
    if (closed == null && whenEmpty == null) {
      closing = why;
      whenEmpty = then;
      closeIfEmpty();
    }
  }

  private void closeIfEmpty() {
    Runnable then = whenEmpty;
    if (then != null && table.size() == 0) {
      closed = closed == null ? closing : closed;
      whenEmpty = null;
      Threads.start(Threads.CALLS, then);
    }
  }

  /** Removes a call and remembers its id; returns false if another thread has removed it before. */
  synchronized boolean giveUp(Pending<?> call) {
    prepareGivenUp();
    if (!remove(call)) {
      return false;
    }
    remember(call.id());
    return true;
  }

  private void prepareGivenUp() {
    if (givenUp.length == 0) {
      givenUp = new long[GIVEN_UP];
    }
  }

  private void remember(long id) {
    prepareGivenUp();
    int slot = (int) id & GIVEN_UP - 1;
    forgotten += givenUp[slot] == 0 ? 0 : 1;
    givenUp[slot] = id;
  }

  /**
   * Returns whether a response is the late response to a given-up call, which is not a violation.
   * Returns true once for each given-up id. After {@link #givenUp} has overflowed, a late response
   * cannot be distinguished from a duplicate one: as many unknown ids as were forgotten count as
   * late.
   */
  synchronized boolean wasGivenUp(long id) {
    int slot = (int) id & GIVEN_UP - 1;
    if (id > 0 && givenUp.length > 0 && givenUp[slot] == id) {
      givenUp[slot] = 0;
      return true;
    }
    boolean mayBeForgotten = id > 0 && id <= lastId && forgotten > 0;
    forgotten -= mayBeForgotten ? 1 : 0;
    return mayBeForgotten;
  }

  /**
   * Returns a time before which no time-out passes, or {@link Clock#NEVER}; see {@link
   * Clock.Owner#due}.
   */
  synchronized long due() {
    return due;
  }

  /** Removes the calls that have timed out, and remembers their ids. */
  synchronized List<Pending<?>> expire(long now) {
    List<Pending<?>> late = new ArrayList<>();
    long[] next = {Clock.NEVER};
    table.forEach(call -> {
      if (call.due <= now) {
        late.add(call);
      } else {
        next[0] = Math.min(next[0], call.due);
      }
    });
    late.forEach(this::giveUp);
    due = next[0];
    return late;
  }

  /**
   * Removes all calls. Later calls of {@link #add} and {@link #requireOpen} throw {@link
   * DisconnectedException} with the first reason given.
   */
  synchronized List<Pending<?>> close(String why, @Nullable Throwable cause) {
    if (closed == null) {
      closed = why;
      closedBy = cause;
    }
    List<Pending<?>> left = all();
    left.forEach(this::remove);
    return left;
  }

  private List<Pending<?>> all() {
    List<Pending<?>> all = new ArrayList<>(table.size());
    table.forEach(all::add);
    return all;
  }
}

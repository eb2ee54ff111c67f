package dev.repartee;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The client half of a {@link Peer}: assigns ids to outgoing calls, keeps the pending calls, and
 * handles responses, time-outs and cancellation.
 */
final class Caller implements Sweeper.Owner {
  /*
   * Implementation note.
   *
   * Life of a call:
   *
   *   register --> pending --> taken out of the table by one of:
   *                              accept     its response arrived
   *                              sweep      its time-out passed               (id is remembered)
   *                              cancelled  its future was ended by the user  (id is remembered)
   *                              fail       it cannot be sent, or will get no response
   *                              close      the connection ended
   *
   * Exactly one thread gets a call from take(), and that thread completes the future. Response,
   * time-out, cancellation and disconnect can therefore race without completing a future twice or
   * never. Pending has a second, independent state (unsent, sent, given up) that decides whether
   * the peer is sent a cancellation.
   *
   * Locking: this object guards table, size, lastId, due, closed, closedBy, givenUp, forgotten
   * and Pending.answered. Nothing else runs under the lock: no future is completed, no frame is
   * written and no listener is called, because all of these can run user code that makes another
   * call.
   *
   * Order of the steps:
   *
   * - A call is registered before its frame is written. Otherwise the response could arrive before
   *   the call is in the table. The time-out also covers the writing.
   * - A time-out or a cancellation takes the call out of the table and remembers its id in one step
   *   under the lock. As two steps, a response that arrives between them would be reported as a
   *   violation.
   * - The thread that gives a call up sends the cancellation only if the frame was committed. If
   *   the frame is being committed at that moment, the committing thread sends the cancellation
   *   afterwards. Otherwise the cancellation could overtake the call, and the peer would run the
   *   call to its end.
   *
   * The table is a chained hash table over long ids, linked by Pending.next: a call needs no boxed
   * key and no map entry. Ids are consecutive, so their low bits spread evenly over the buckets.
   * There is no timer for each call. The field due is a lower bound of the earliest time-out, and
   * the Sweeper watches only that.
   */

  private final Channel channel;
  private final Options options;
  private final Codec codec;
  private final Runnable beforeCall;
  private final @Nullable Handler layered;

  /** The spinner for threads that wait for a response; null if the channel is not low-latency. */
  final @Nullable Spin spin;

  /** The number of given-up ids that are remembered. A power of two: the id's low bits index it. */
  private static final int GIVEN_UP = 256;

  private static final long[] NONE = {};

  /**
   * The size of the table from the second pending call on. Most connections never have two, so the
   * table starts with one bucket to keep idle connections small.
   */
  private static final int SMALLEST = 8;

  /**
   * The ids of the last given-up calls, since late responses to them may still arrive; 0 if free.
   */
  private long[] givenUp = NONE;

  /** The number of ids that were overwritten in {@link #givenUp} before their response arrived. */
  private long forgotten;

  private @Nullable Pending<?>[] table = new Pending<?>[1];
  private int size;
  private long lastId;
  private long due = Sweeper.NEVER;

  /** The reason of the disconnect for the user; null while the connection is open. */
  private @Nullable String closed;

  private @Nullable Throwable closedBy;

  /**
   * Creates the caller of a connection.
   *
   * @param beforeCall runs before each call is sent. It resumes reading, since a paused connection
   *     would never receive the response
   */
  Caller(Channel channel, Options options, Runnable beforeCall) {
    this.channel = channel;
    this.options = options;
    this.codec = options.dialect().codec();
    this.beforeCall = beforeCall;
    this.spin = channel.isLowLatency() ? new Spin() : null;
    this.layered = options.callLayers().isEmpty()
        ? null
        : ServerContext.stack(options.callLayers(), LayeredCall::leave);
  }

  // ---------------------------------------------------------------- sending

  <T extends @Nullable Object> CallFuture<T> send(CallBuilder call, JsonType<T> type, Peer peer) {
    if (layered == null) {
      return request(call, type);
    }
    return new LayeredCall<T>(call, peer, given -> request(given, type)).through(layered);
  }

  void sendNotification(CallBuilder call, Peer peer) {
    if (layered == null) {
      notification(call);
    } else {
      CallFuture<?> sent = new LayeredCall<@Nullable Object>(call, peer, given -> {
            notification(given);
            return null;
          })
          .through(layered);
      if (sent.isCompletedExceptionally()) {
        sent.await(); // throws the failure
      }
    }
  }

  private <T extends @Nullable Object> CallFuture<T> request(CallBuilder call, JsonType<T> type) {
    awaitRoom();
    Pending<T> pending = register(call, type);
    try {
      beforeCall.run();
      if (write(out -> message(out, call, pending.id), pending)) {
        sent(pending);
      }
    } catch (RuntimeException | Error e) {
      take(pending.id);
      throw e;
    }
    return pending.future;
  }

  private void notification(CallBuilder call) {
    awaitRoom(call.waits ? options.limits().drainTimeout().toMillis() : 0);
    requireOpen();
    write(out -> message(out, call, Codec.NO_ID), null);
  }

  /** Sends the calls and notifications as one batch (JSON-RPC 2.0 section 6). */
  void batch(List<Batch.Element> elements) {
    awaitRoom();
    requireOpen();
    beforeCall.run();
    Elements sent = new Elements();
    if (write(out -> sent.write(out, elements), sent)) {
      sent.calls.forEach(this::sent);
    }
  }

  /** The calls of a frame that may be given up before they are sent. */
  interface Unsent extends OutboundFrame.Calls {
    /** Returns whether the frame contains nothing but calls, and all were given up before the commit. */
    boolean isGivenUpUnsent();
  }

  /** The content of a batch frame: all elements except calls given up before they were written. */
  private final class Elements implements Unsent {
    final List<Pending<?>> calls = new ArrayList<>();
    private boolean notifies;

    void write(JsonWriter out, List<Batch.Element> elements) {
      char before = '[';
      for (Batch.Element element : elements) {
        Pending<?> pending = element.pending();
        if (pending == null || !pending.isGivenUpUnsent()) {
          message(out.put(before), element.call(), element.id());
          before = ',';
          if (pending == null) {
            notifies = true;
          } else {
            calls.add(pending);
          }
        }
      }
      out.put(']');
    }

    @Override
    public boolean isAwaited() {
      return calls.stream().anyMatch(Pending::isAwaited);
    }

    @Override
    public boolean isAnswered() {
      return !calls.isEmpty() && calls.stream().allMatch(Pending::isAnswered);
    }

    @Override
    public boolean isGivenUpUnsent() {
      return !notifies && calls.stream().allMatch(Pending::isGivenUpUnsent);
    }

    @Override
    public boolean isGivenUp() {
      return !notifies && !isAwaited();
    }

    @Override
    public void fail(RuntimeException cause) {
      calls.forEach(call -> call.fail(cause));
    }
  }

  /** Returns whether the call with that id is pending. */
  boolean isAwaited(long id) {
    return find(id) != null;
  }

  /** Returns whether the response to a call has arrived. */
  synchronized boolean isAnswered(Pending<?> pending) {
    return pending.answered;
  }

  /**
   * Fails a call that was not sent or that will get no response. Does nothing if the call has
   * ended.
   */
  void fail(long id, Throwable cause) {
    Pending<?> pending = take(id);
    if (pending != null) {
      pending.future.fail(cause);
    }
  }

  synchronized boolean isOpen() {
    return closed == null;
  }

  private synchronized void requireOpen() {
    if (closed != null) {
      throw new DisconnectedException(closed, closedBy);
    }
  }

  private void awaitRoom() {
    awaitRoom(options.limits().drainTimeout().toMillis());
  }

  private void awaitRoom(long millis) {
    if (!hasRoom(channel, millis)) {
      throw new LimitException("outboundBytes", options.limits().outboundBytes());
    }
  }

  /**
   * Waits up to {@link Limits#drainTimeout} until the write queue has room; does not wait on a
   * thread that reads a channel.
   *
   * @return false if the write queue is still full, or if the thread was interrupted
   */
  static boolean hasRoom(FrameSink outlet, Limits limits) {
    return hasRoom(outlet, limits.drainTimeout().toMillis());
  }

  static boolean hasRoom(FrameSink outlet, long millis) {
    try {
      return outlet.awaitRoom(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Assigns an id to a call and adds the call to the pending calls.
   *
   * @throws LimitException if {@link Limits#pendingCalls} calls are pending
   * @throws DisconnectedException if the connection has ended
   */
  <T extends @Nullable Object> Pending<T> register(CallBuilder call, JsonType<T> type) {
    Duration timeout = call.timeout == null ? options.limits().callTimeout() : call.timeout;
    long end = Sweeper.after(timeout);
    Pending<T> pending;
    boolean sooner;
    synchronized (this) {
      requireOpen();
      if (size >= options.limits().pendingCalls()) {
        throw new LimitException("pendingCalls", options.limits().pendingCalls());
      }
      pending = new Pending<>(this, ++lastId, end, call, type);
      put(pending);
      sooner = end < due;
      if (sooner) {
        due = end;
      }
    }
    if (sooner) {
      Sweeper.watch(this, end);
    }
    return pending;
  }

  /**
   * Sends a frame with the given content. Sends nothing if writing the content throws, or if all
   * calls of the frame were given up meanwhile.
   *
   * @return whether the frame was committed
   */
  private boolean write(Params content, @Nullable Unsent calls) {
    OutboundFrame out = channel.open().initiate(calls);
    try {
      content.write(out);
    } catch (RuntimeException | Error e) {
      channel.discard(out);
      throw e;
    }
    if (calls != null && calls.isGivenUpUnsent()) {
      channel.discard(out);
      return false;
    }
    channel.commit(out);
    return true;
  }

  /** Marks a call as sent. Sends the cancellation if the call was given up during the commit. */
  private void sent(Pending<?> pending) {
    if (!pending.sent()) {
      sendCancellation(pending);
    }
  }

  private void message(JsonWriter out, CallBuilder call, long id) {
    Params params = call.params;
    codec.beginCall(out, id, call.method, params != null);
    if (params != null) {
      params.write(out);
    }
    codec.endCall(out, id);
  }

  // ---------------------------------------------------------------- the table

  private void put(Pending<?> pending) {
    if (size == table.length) {
      @Nullable Pending<?>[] old = table;
      table = new Pending<?>[Math.max(SMALLEST, old.length * 2)];
      for (Pending<?> head : old) {
        for (Pending<?> p = head; p != null; ) {
          Pending<?> next = p.next;
          link(p);
          p = next;
        }
      }
    }
    link(pending);
    size++;
  }

  private void link(Pending<?> pending) {
    int bucket = (int) pending.id & table.length - 1;
    pending.next = table[bucket];
    table[bucket] = pending;
  }

  /**
   * Removes a call from the table. The thread that gets the call must complete its future.
   *
   * @return null if another thread has removed the call before
   */
  private synchronized @Nullable Pending<?> take(long id) {
    int bucket = (int) id & table.length - 1;
    Pending<?> before = null;
    for (Pending<?> p = table[bucket]; p != null; before = p, p = p.next) {
      if (p.id == id) {
        if (before == null) {
          table[bucket] = p.next;
        } else {
          before.next = p.next;
        }
        size--;
        return p;
      }
    }
    return null;
  }

  /** Removes a call from the table as {@link #take} does, because its response has arrived. */
  private synchronized @Nullable Pending<?> takeAnswered(long id) {
    Pending<?> pending = take(id);
    if (pending != null) {
      pending.answered = true;
    }
    return pending;
  }

  private synchronized @Nullable Pending<?> find(long id) {
    Pending<?> p = table[(int) id & table.length - 1];
    while (p != null && p.id != id) {
      p = p.next;
    }
    return p;
  }

  private synchronized List<Pending<?>> all(Predicate<Pending<?>> wanted) {
    List<Pending<?>> all = new ArrayList<>();
    for (Pending<?> head : table) {
      for (Pending<?> p = head; p != null; p = p.next) {
        if (wanted.test(p)) {
          all.add(p);
        }
      }
    }
    return all;
  }

  /** Returns the number of pending calls. */
  synchronized int pending() {
    return size;
  }

  // ---------------------------------------------------------------- receiving

  /**
   * Completes a call with the response at index {@code i} of the frame. Reports a violation to the
   * listener if the response belongs to no call.
   */
  void accept(ParsedFrame in, int i) {
    long id = number(in.bytes(), in.idFrom(i), in.idTo(i));
    Pending<?> pending = id > 0 ? takeAnswered(id) : null;
    if (pending == null && isNull(in, i) && in.errorFrom(i) != in.errorTo(i)) {
      pending = lone();
    }
    if (pending != null) {
      pending.answer(in, i);
    } else if (!wasGivenUp(id)) {
      violation(in, i);
    }
  }

  private static boolean isNull(ParsedFrame in, int i) {
    return in.idFrom(i) == in.idTo(i) || in.bytes()[in.idFrom(i)] == 'n';
  }

  /**
   * Takes the only pending call. An error with the id null fails it under {@link
   * Lenience#NULL_ID_FAILS_LONE_CALL}.
   */
  private @Nullable Pending<?> lone() {
    if (!options.lenience().contains(Lenience.NULL_ID_FAILS_LONE_CALL)) {
      return null;
    }
    List<Pending<?>> all = all(p -> true);
    return all.size() == 1 ? takeAnswered(all.get(0).id) : null;
  }

  private void violation(ParsedFrame in, int i) {
    boolean isError = in.errorFrom(i) != in.errorTo(i);
    String what = !isNull(in, i)
        ? "a response to no pending call: id " + in.id(i)
        : isError
            ? "an error without an id: " + Json.copy(in.bytes(), in.errorFrom(i), in.errorTo(i))
            : "a result without an id: "
                + Bytes.excerpt(in.bytes(), in.resultFrom(i), in.resultTo(i));
    UserCode.run(() -> options.listener().violation(channel.info(), what));
  }

  /**
   * Parses an id literal. Returns -1 unless it has the form of the ids that this class writes:
   * plain decimal digits, no leading zero, at most 18 digits.
   */
  private static long number(byte[] b, int from, int to) {
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

  /** Delivers a progress notification to the call that it names, if that call is still pending. */
  void progress(Json params) {
    Id id = options.dialect().progressed(params);
    Json value = options.dialect().progress(params);
    if (id != null && value != null) {
      byte[] literal = id.json().array();
      Pending<?> pending = find(number(literal, 0, literal.length));
      if (pending != null && pending.progress != null) {
        pending.progress.accept(value);
      }
    }
  }

  // ---------------------------------------------------------------- giving up

  /**
   * Gives a call up after its future was ended by the user. Sends the cancellation to the peer if
   * the call was sent and has no response yet.
   */
  void cancelled(Pending<?> pending) {
    if (giveUp(pending.id) && pending.giveUp()) {
      sendCancellation(pending);
    }
  }

  /** Removes a call from the table and remembers its id; returns false if the call has ended. */
  private synchronized boolean giveUp(long id) {
    if (take(id) == null) {
      return false;
    }
    if (givenUp.length == 0) {
      givenUp = new long[GIVEN_UP];
    }
    int slot = (int) id & GIVEN_UP - 1;
    forgotten += givenUp[slot] == 0 ? 0 : 1;
    givenUp[slot] = id;
    return true;
  }

  /**
   * Returns whether a response is the late response to a given-up call, which is no violation.
   * Returns true once for each given-up id. After {@link #givenUp} has overflowed, a late response
   * cannot be distinguished from a duplicate one, so as many unknown ids as were forgotten count as
   * late.
   */
  private synchronized boolean wasGivenUp(long id) {
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
   * Sends the cancellation of a call to the peer. Throws nothing: in a sweep, a failure here must
   * not keep the futures of the other expired calls from failing.
   */
  private void sendCancellation(Pending<?> pending) {
    UserCode.run(() -> {
      boolean ended = channel.endGivenUp() && options.dialect().isCancelledByDisconnect();
      String method = options.dialect().cancelMethod();
      if (method != null && !ended) {
        Json params = options.dialect().cancelParams(Id.of(pending.id));
        write(
            out -> {
              codec.beginCall(out, Codec.NO_ID, method, true);
              out.json(params);
              codec.endCall(out, Codec.NO_ID);
            },
            null);
      }
    });
  }

  @Override
  public synchronized long due() {
    return due;
  }

  @Override
  public long sweep(long now) {
    List<Pending<?>> late;
    long next;
    synchronized (this) {
      late = all(p -> p.due <= now);
      late.forEach(p -> giveUp(p.id));
      next = Sweeper.NEVER;
      for (Pending<?> p : all(p -> p.due != Sweeper.NEVER)) {
        next = Math.min(next, p.due);
      }
      due = next;
    }
    for (Pending<?> pending : late) {
      if (pending.giveUp()) {
        sendCancellation(pending);
      }
      pending.future.fail(new CallTimeoutException("no answer to '" + pending.method
          + "' in time from " + channel.info().other() + "; the call was given up"));
    }
    return next;
  }

  /** Fails all pending calls. Later calls throw {@link DisconnectedException}. */
  void close(String why, @Nullable Throwable cause) {
    List<Pending<?>> left;
    synchronized (this) {
      if (closed == null) {
        closed = why;
        closedBy = cause;
      }
      left = all(p -> true);
      left.forEach(p -> take(p.id));
    }
    Sweeper.forget(this);
    for (Pending<?> pending : left) {
      pending.future.fail(
          new DisconnectedException(why + "; '" + pending.method + "' was not answered", cause));
    }
  }

  // ---------------------------------------------------------------- layers

  /** The last step of a call behind all layers: sends it; returns null for a notification. */
  private interface Exit<T extends @Nullable Object> {
    @Nullable CallFuture<T> leave(CallBuilder call);
  }

  /**
   * An outgoing call that passes through the layers. The user has the future of this object; the
   * innermost handler sends the call and gets a second future. Cancelling the first cancels the
   * second.
   */
  private static final class LayeredCall<T extends @Nullable Object> implements Runnable {
    /** The attribute by which {@link #leave} finds this object behind the layers. */
    private static final Attribute<LayeredCall<?>> KEY = Attribute.named("outgoing call");

    private final CallBuilder call;
    private final Peer peer;
    private final Exit<T> exit;
    private final Cancellation cancellation = new Cancellation();
    private final CallFuture<T> future;

    LayeredCall(CallBuilder call, Peer peer, Exit<T> exit) {
      this.call = call;
      this.peer = peer;
      this.exit = exit;
      this.future = new CallFuture<>(call.method, this, peer.caller().spin);
    }

    /** Gives the call up, on behalf of its future and of the futures derived from it. */
    @Override
    public void run() {
      future.cancelled();
      cancellation.cancel();
    }

    CallFuture<T> through(Handler layers) {
      Json params = call.paramsAsJson();
      Call seen = new Call(call.method, params, peer, peer.channel(), cancellation, call.progress);
      seen.set(KEY, this);
      try {
        complete(future, layers.handle(seen));
      } catch (Exception e) {
        future.fail(e);
      }
      return future;
    }

    @SuppressWarnings(
        "unchecked") // a layer that replaces the result must return a value of the same type
    private static <T extends @Nullable Object> void complete(
        CallFuture<T> future, @Nullable Object outcome) {
      if (outcome instanceof CompletionStage<?> stage) {
        stage.whenComplete((value, failure) -> {
          if (failure != null) {
            Throwable cause = failure.getCause();
            future.fail(failure instanceof CompletionException && cause != null ? cause : failure);
          } else {
            future.succeed((T) value);
          }
        });
      } else {
        future.succeed((T) outcome);
      }
    }

    static @Nullable Object leave(Call call) {
      call.cancellation().throwIfCancelled(); // given up in a layer
      LayeredCall<?> outgoing =
          java.util.Objects.requireNonNull(call.attributes().get(KEY));
      CallFuture<?> future = outgoing.exit.leave(outgoing.call);
      if (future != null) {
        call.cancellation().onCancel(() -> future.cancel(true));
      }
      return future;
    }
  }
}

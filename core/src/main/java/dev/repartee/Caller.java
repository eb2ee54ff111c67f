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
 * The calling half: ids, the calls that wait for their answer, time-outs, cancellation.
 *
 * <p>Every call that waits stands in one table and leaves it once, by {@link #take}: with its answer,
 * its time-out, its cancellation or the end of the connection. Whoever took it completes it. The
 * table is guarded by this object, and nothing else happens under that lock.
 */
final class Caller implements Sweeper.Owner {
  private final Channel channel;
  private final Options options;
  private final Codec codec;
  private final Runnable beforeCall;
  private final @Nullable Handler layered;

  /** What threads that wait for our calls do before they sleep; null for nothing. */
  final @Nullable Spin spin;

  /** How many calls that were given up are remembered, since their answers may still come. */
  private static final int GIVEN_UP = 256;

  private static final long[] NONE = {};

  /** The table's size from the second call in flight on: most connections never have one. */
  private static final int SMALLEST = 8;

  private long[] givenUp = NONE;

  /** How many ids of calls given up were overwritten in that table. */
  private long forgotten;

  private @Nullable Pending<?>[] table = new Pending<?>[1];
  private int size;
  private long lastId;
  private long due = Sweeper.NEVER;
  private @Nullable String closed;
  private @Nullable Throwable closedBy;

  /** {@code beforeCall} runs before a call leaves, since its answer will have to be read. */
  Caller(Channel channel, Options options, Runnable beforeCall) {
    this.channel = channel;
    this.options = options;
    this.codec = options.dialect().codec();
    this.beforeCall = beforeCall;
    this.spin = channel.isLowLatency() ? new Spin() : null;
    this.layered = options.callLayers().isEmpty()
        ? null
        : Serving.stack(options.callLayers(), Outgoing::leave);
  }

  // ---------------------------------------------------------------- calls that leave

  <T extends @Nullable Object> CallFuture<T> send(Invocation call, JsonType<T> type, Peer peer) {
    if (layered == null) {
      return request(call, type);
    }
    return new Outgoing<T>(call, peer, given -> request(given, type)).through(layered);
  }

  void sendNotification(Invocation call, Peer peer) {
    if (layered == null) {
      notification(call);
    } else {
      CallFuture<?> sent = new Outgoing<@Nullable Object>(call, peer, given -> {
            notification(given);
            return null;
          })
          .through(layered);
      if (sent.isCompletedExceptionally()) {
        sent.await(); // throws what it failed with
      }
    }
  }

  private <T extends @Nullable Object> CallFuture<T> request(Invocation call, JsonType<T> type) {
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

  private void notification(Invocation call) {
    awaitRoom(call.waits ? options.limits().drainTimeout().toMillis() : 0);
    requireOpen();
    write(out -> message(out, call, Codec.NO_ID), null);
  }

  /** Sends the calls as one batch; their answers come together, in any order. */
  void batch(List<Batch.Element> elements) {
    awaitRoom();
    requireOpen();
    beforeCall.run();
    Elements sent = new Elements();
    if (write(out -> sent.write(out, elements), sent)) {
      sent.calls.forEach(this::sent);
    }
  }

  /** The elements of a batch that are sent: all but the calls given up before they were written. */
  private final class Elements implements Output.Awaited {
    final List<Pending<?>> calls = new ArrayList<>();
    private boolean notifies;

    void write(Output out, List<Batch.Element> elements) {
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

  /** Whether a call of that id waits for its answer. */
  boolean isAwaited(long id) {
    return find(id) != null;
  }

  /** Fails a call that never left, or to which no answer will come; nothing if it has ended. */
  void fail(long id, Throwable cause) {
    Pending<?> pending = take(id);
    if (pending != null) {
      pending.future.fail(cause);
    }
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

  /** Whether more may be sent: at once, or after waiting for it where that is allowed. */
  static boolean hasRoom(Outlet outlet, Limits limits) {
    return hasRoom(outlet, limits.drainTimeout().toMillis());
  }

  static boolean hasRoom(Outlet outlet, long millis) {
    try {
      return outlet.awaitRoom(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Gives a call its id and has it wait for the answer. */
  <T extends @Nullable Object> Pending<T> register(Invocation call, JsonType<T> type) {
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
   * Sends what {@code content} writes as one frame; nothing if it cannot be written, or was given up
   * meanwhile. Answers whether it was sent.
   */
  private boolean write(Params content, Output.@Nullable Awaited awaited) {
    Output out = channel.open();
    out.initiated = true;
    out.awaited = awaited;
    try {
      content.write(out);
    } catch (RuntimeException | Error e) {
      channel.discard(out);
      throw e;
    }
    if (awaited != null && awaited.isGivenUpUnsent()) {
      channel.discard(out);
      return false;
    }
    channel.commit(out);
    return true;
  }

  /** The frame of that call was committed: one that was given up meanwhile is cancelled behind it. */
  private void sent(Pending<?> pending) {
    if (!pending.sent()) {
      tellCancelled(pending);
    }
  }

  private void message(Output out, Invocation call, long id) {
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

  /** Takes a call out of the table: whoever gets it completes it. Null if it has left already. */
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

  /** How many calls wait for their answer. */
  synchronized int pending() {
    return size;
  }

  // ---------------------------------------------------------------- what comes back

  /** Takes the answer that is the i-th message of the frame. */
  void accept(Inbound in, int i) {
    long id = number(in.bytes(), in.idFrom(i), in.idTo(i));
    Pending<?> pending = id > 0 ? take(id) : null;
    if (pending == null && isNull(in, i) && in.errorFrom(i) != in.errorTo(i)) {
      pending = lone();
    }
    if (pending != null) {
      pending.answer(in, i);
    } else if (!wasGivenUp(id)) {
      violation(in, i);
    }
  }

  private static boolean isNull(Inbound in, int i) {
    return in.idFrom(i) == in.idTo(i) || in.bytes()[in.idFrom(i)] == 'n';
  }

  /** The one call in flight, where it may be failed by an error that names no call. */
  private @Nullable Pending<?> lone() {
    if (!options.lenience().contains(Options.Lenience.NULL_ID_FAILS_LONE_CALL)) {
      return null;
    }
    List<Pending<?>> all = all(p -> true);
    return all.size() == 1 ? take(all.get(0).id) : null;
  }

  private void violation(Inbound in, int i) {
    boolean isError = in.errorFrom(i) != in.errorTo(i);
    String what = !isNull(in, i)
        ? "an answer to no call of ours, or a second one: id " + in.id(i)
        : isError
            ? "an error without an id: " + Json.copy(in.bytes(), in.errorFrom(i), in.errorTo(i))
            : "a result without an id: "
                + Bytes.excerpt(in.bytes(), in.resultFrom(i), in.resultTo(i));
    Foreign.run(() -> options.listener().violation(channel.info(), what));
  }

  /** The number that the literal is in the form we write ids in, or -1. */
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

  /** The future of a call was cancelled: tells the peer, if that was asked and has not answered yet. */
  void cancelled(Pending<?> pending) {
    if (giveUp(pending.id) && pending.giveUp()) {
      tellCancelled(pending);
    }
  }

  /** Takes a call out of the table and remembers it, in one step: its answer may come at any time. */
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
   * Returns true once for the id of a call that was given up, since its answer may still come. Once the
   * table of such ids has overflowed, a late answer cannot be told from a second one: then as many
   * unknown ids as were forgotten are taken for late answers, which are no violation.
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

  /** Tells the peer. Throws nothing: if that fails, the call, and those that end with it, end all the same. */
  private void tellCancelled(Pending<?> pending) {
    Foreign.run(() -> {
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
        tellCancelled(pending);
      }
      pending.future.fail(new CallTimeoutException("no answer to '" + pending.method
          + "' in time from " + channel.info().other() + "; the call was given up"));
    }
    return next;
  }

  /** Fails every call that waits, and every later one. */
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

  /** How a call leaves once the layers have let it. */
  private interface Exit<T extends @Nullable Object> {
    @Nullable CallFuture<T> leave(Invocation call);
  }

  /** A call on its way out through the layers. */
  private static final class Outgoing<T extends @Nullable Object> implements Runnable {
    private static final String KEY = "dev.repartee.outgoing";

    private final Invocation call;
    private final Peer peer;
    private final Exit<T> exit;
    private final Cancellation cancellation = new Cancellation();
    private final CallFuture<T> future;

    Outgoing(Invocation call, Peer peer, Exit<T> exit) {
      this.call = call;
      this.peer = peer;
      this.exit = exit;
      this.future = new CallFuture<>(call.method, this, peer.caller().spin);
    }

    /** Gives the call up, for its future and the futures derived from it. */
    @Override
    public void run() {
      future.cancelled();
      cancellation.cancel();
    }

    CallFuture<T> through(Handler layers) {
      Json params = call.paramsAsJson();
      Call seen =
          new Call(call.method, params, null, peer, peer.channel(), cancellation, 0, call.progress);
      seen.attributes().put(KEY, this);
      try {
        complete(future, layers.handle(seen));
      } catch (Exception e) {
        future.fail(e);
      }
      return future;
    }

    @SuppressWarnings(
        "unchecked") // a layer that returns something else has to match the type itself
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
      Outgoing<?> outgoing =
          (Outgoing<?>) java.util.Objects.requireNonNull(call.attributes().get(KEY));
      CallFuture<?> future = outgoing.exit.leave(outgoing.call);
      if (future != null) {
        call.cancellation().onCancel(() -> future.cancel(true));
      }
      return future;
    }
  }
}

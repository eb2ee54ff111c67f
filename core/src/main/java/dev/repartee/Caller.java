package dev.repartee;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Spin;
import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.json.JsonType;
import dev.repartee.json.UnknownMembers;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.message.Codec;
import dev.repartee.message.Id;
import dev.repartee.message.ParsedFrame;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Channel;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Headers;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import dev.repartee.transport.ReadingThread;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The client half of a {@link Peer}: sends calls, notifications and batches, and handles time-outs
 * and cancellation. {@link Responses} completes the calls.
 */
final class Caller implements Clock.Owner, ReceivedStream.Source {
  /*
   * Implementation note.
   *
   * A call has two independent states. PendingCalls keeps the first one, pending or ended, under
   * its lock: the thread that removes a call from it completes the future. Pending keeps the second
   * one (unsent, sent, given up), which determines whether a cancellation is sent to the peer. This
   * class keeps no state of a call. It keeps the order of the steps:
   *
   * - A call is registered before its frame is written. Otherwise the response could arrive before
   *   the call is in the table. The time-out also covers the writing.
   * - The thread that ends a call early sends the cancellation only if the frame was committed. If
   *   the frame is being committed at that moment, the committing thread sends the cancellation
   *   afterwards. Otherwise the cancellation could overtake the call, and the peer would run the
   *   call to its end.
   *
   * Three kinds of channels send a call:
   *
   *   a connection      commit   gets the frame; the answer is found by its id
   *   MessageChannel    send     gets a CallMessage, which reports the end of the call to it
   *   Carrier           send     gets it too, and has Peer.carry() send the call (Carried)
   */

  private final PendingCalls calls;
  private final Responses responses;
  private final Channel channel;
  private final Options options;
  private final Codec codec;
  private final CallCounts counts;
  private final Runnable beforeCall;
  private final Predicate<Runnable> hasRoom;
  private final Supplier<String> afterInput;
  private final Runnable leave;
  private final Deadlines deadlines;
  private final CallLayers layers;

  /** Whether the channel has refused to send, because the connection is ending. */
  private volatile boolean outputClosed;

  /** The channel if it has no connection, and gets whole messages; else null. */
  private final @Nullable MessageChannel messages;

  /** The subscriptions and partial results of this side; null before the first stream. */
  private volatile @Nullable ReceivedStreams streams;

  /** The clock of the time limits. */
  final Clock clock;

  /** The spinner for threads that wait for a response; null if the channel is not low-latency. */
  final @Nullable Spin spin;

  /**
   * Creates the caller of a connection.
   *
   * @param beforeCall runs before each call is sent. It resumes reading, since a paused connection
   *     would never receive the response
   * @param hasRoom {@link PeerFlow#hasRoom}
   * @param afterInput {@link Ending#afterInput}
   * @param leave {@link Peer#leave}
   */
  Caller(
      Channel channel,
      Options options,
      Codec codec,
      CallCounts counts,
      Runnable beforeCall,
      Predicate<Runnable> hasRoom,
      Supplier<String> afterInput,
      Runnable leave) {
    this.channel = channel;
    this.messages = channel instanceof MessageChannel whole ? whole : null;
    this.options = options;
    this.clock = options.clock();
    this.deadlines = options.deadlines();
    LongSupplier numbering = codec.numbering();
    if (numbering == null && messages != null) {
      numbering = messages.numbering();
    }
    this.calls = new PendingCalls(options.limits().pendingCalls(), numbering);
    this.responses = new Responses(calls, options, this::violation);
    this.codec = codec;
    this.counts = counts;
    this.beforeCall = beforeCall;
    this.hasRoom = hasRoom;
    this.afterInput = afterInput;
    this.leave = leave;
    this.spin = channel.isLowLatency() ? new Spin() : null;
    this.layers = new CallLayers(this, options.callLayers());
  }

  // ---------------------------------------------------------------- sending

  /** Returns the layers that the calls of users pass through before they are sent. */
  CallLayers layers() {
    return layers;
  }

  /** Returns whether a call is declared idempotent, by itself or by its method. */
  boolean isIdempotent(CallBuilder call) {
    return call.idempotent
        || messages instanceof Carrier carrier && carrier.isIdempotent(call.method);
  }

  /** Returns the treatment of unknown members in results. */
  UnknownMembers unknownResults() {
    return options.unknownResults();
  }

  /** Returns the exception for the error in the i-th message of a frame, which is a response. */
  RemoteRpcException refusal(String method, ParsedFrame in, int i) {
    RpcError error = codec.readError(UnsafeJson.copy(in.bytes(), in.errorFrom(i), in.errorTo(i)));
    return new RemoteRpcException(method, remote(), error, options.dialect());
  }

  @Override
  public String remote() {
    return channel.info().other();
  }

  <T extends @Nullable Object> CallFuture<T> request(CallBuilder call, JsonType<T> type) {
    if (messages instanceof Carrier carrier) {
      return carried(carrier, call, type);
    }
    CallBuilder begun = call.unthrottled || hasRoomWithin(0) ? call : awaitRoom(call);
    Pending<T> pending = register(begun, type);
    try {
      transmit(begun, pending);
    } catch (RuntimeException | Error e) {
      calls.remove(pending);
      noteEnd(e);
      throw e;
    }
    return pending.future;
  }

  private void transmit(CallBuilder call, Pending<?> pending) {
    Headers headers = headers(call.headers, pending);
    beforeCall.run();
    if (write(
        out -> call.write(out, codec, pending.id(), pending, deadlines),
        headers,
        pending,
        call.unthrottled)) {
      sent(pending);
    }
  }

  /**
   * Returns the headers of a message, if the channel has messages. Asks the supplier of headers,
   * which may be user code.
   *
   * @param calls the calls of the message; null for a notification
   */
  private Headers headers(Headers own, @Nullable Unsent calls) {
    if (messages == null) {
      return Headers.NONE;
    }
    Headers all = options.headersOf(own);
    return calls == null || !deadlines.sendsHeader
        ? all
        : CallTime.with(all, CallTime.millis(calls.timeLeft()));
  }

  void notification(CallBuilder call) {
    if (messages instanceof Carrier carrier) {
      carrier.current(call.method, call::paramsAsJson).caller().notification(call);
      return;
    }
    if (!call.unthrottled) {
      awaitRoom(call.waits ? options.limits().drainTimeout().toMillis() : 0);
    }
    calls.requireOpen();
    Headers headers = headers(call.headers, null);
    write(out -> call.write(out, codec), headers, null, call.unthrottled);
  }

  /** Returns {@code own}, or the peer that carries its messages now if its channel has peers. */
  Peer carrier(Peer own) {
    return messages instanceof Carrier carrier ? carrier.current() : own;
  }

  /** Returns the peer that carries a stream, as {@link #carrier(Peer)} does. */
  Peer carrier(Peer own, CallBuilder call) {
    return messages instanceof Carrier carrier
        ? carrier.current(call.method, call::paramsAsJson)
        : own;
  }

  private <T extends @Nullable Object> CallFuture<T> carried(
      Carrier carrier, CallBuilder call, JsonType<T> type) {
    CallBuilder content = call.fixed();
    Carried<T> pending = new Carried<>(this, timeout(call), call, content, type);
    enter(pending, true);
    try {
      carrier.send(new CallMessage(pending, this, content.size()));
    } catch (RuntimeException | Error e) {
      calls.remove(pending);
      throw e;
    }
    return pending.future;
  }

  /**
   * Sends a call of a peer on a {@link Carrier}.
   *
   * @param lost gets the call back if the connection ends before the answer
   * @param millis the time to wait for room
   * @return false if there is no room; then nothing was done
   */
  boolean carry(Carried<?> call, Consumer<RuntimeException> lost, long millis) {
    if (!call.content.unthrottled && !hasRoomWithin(millis)) {
      return false;
    }
    if (!call.moveTo(this, lost)) {
      return true;
    }
    try {
      transmit(call.content, call);
    } catch (RuntimeException | Error e) {
      noteEnd(e);
      if (calls.remove(call)) {
        call.goHome(e);
        throw e;
      } // otherwise it has ended, or the end of the connection has returned it
    }
    return true;
  }

  /** Sends the calls and notifications as one batch (JSON-RPC 2.0 section 6). */
  void batch(List<Batch.Element> elements, Headers own) {
    awaitRoom(options.limits().drainTimeout().toMillis());
    calls.requireOpen();
    BatchFrame frame = new BatchFrame(elements);
    Headers headers = headers(own, frame);
    beforeCall.run();
    if (write(out -> frame.write(out, codec, deadlines), headers, frame, false)) {
      frame.calls().forEach(this::sent);
    }
  }

  /**
   * Fails a call that was not sent or that will get no response. Does nothing if the call has
   * ended.
   */
  void fail(Pending<?> pending, Throwable cause) {
    if (calls.remove(pending)) {
      pending.failed(cause);
    }
  }

  boolean isOpen() {
    return !outputClosed && calls.isOpen();
  }

  /** Makes no new calls; see {@link Peer#leave}. */
  void leave() {
    leave.run();
  }

  /** Accepts no calls once none is pending, and runs an action then; see {@link Peer#leave}. */
  void closeWhenEmpty(String why, Runnable then) {
    calls.closeWhenEmpty(why, then);
  }

  /** Returns the part that completes the pending calls. */
  Responses responses() {
    return responses;
  }

  /** Returns the number of pending calls. */
  int pending() {
    return calls.size();
  }

  /** Returns the number of calls that were answered so far. */
  long answers() {
    return calls.answers();
  }

  /** Waits for room, at most until the deadline of a call; returns the call with its deadline. */
  private CallBuilder awaitRoom(CallBuilder call) {
    CallBuilder begun = call.begun(timeout(call), clock);
    Duration left = CallTime.left(clock, begun.due);
    Duration most = options.limits().drainTimeout();
    if (left == null || left.compareTo(most) >= 0 || ReadingThread.isCurrent()) {
      awaitRoom(most.toMillis());
    } else if (!hasRoomWithin(left.toMillis())) {
      throw CallTime.noRoom(begun, remote());
    }
    return begun;
  }

  private void awaitRoom(long millis) {
    if (!hasRoomWithin(millis)) {
      throw new LimitException("outboundBytes", options.limits().outboundBytes());
    }
  }

  private boolean hasRoomWithin(long millis) {
    try {
      return Room.within(channel, millis);
    } catch (DisconnectedException e) {
      noteEnd(e);
      throw e;
    }
  }

  /**
   * Records that the channel sends nothing more. A sender may detect this before the end of the
   * connection is reported. Without a connection only the one call has failed.
   */
  private void noteEnd(Throwable failure) {
    if (failure instanceof DisconnectedException && isConnection()) {
      outputClosed = true;
    }
  }

  /**
   * Assigns an id to a call and adds the call to the pending calls.
   *
   * @throws LimitException if {@link Limits#pendingCalls} calls are pending
   * @throws DisconnectedException if the connection has ended
   */
  <T extends @Nullable Object> Pending<T> register(CallBuilder call, JsonType<T> type) {
    Pending<T> pending = new Pending<>(this, timeout(call), call, type);
    enter(pending, !call.urgent);
    return pending;
  }

  /**
   * Returns the time limit of a call that begins now, zero for none.
   *
   * @throws CallTimeoutException if the call belongs to a served call after its deadline
   */
  Duration timeout(CallBuilder call) {
    Duration own = ownTimeout(call);
    if (call.due != 0) {
      return own; // it has begun before, with its limits
    }
    if (call.served != null) {
      own = CallTime.shorter(call.method, own, call.served.timeLeft());
    }
    boolean nested = call.stream == null && !call.independent;
    return nested ? CallTime.limited(call.method, own) : own;
  }

  /** Returns the time limit that a call has without the deadline of a served call. */
  Duration ownTimeout(CallBuilder call) {
    return call.timeout == null ? options.limits().callTimeout() : call.timeout;
  }

  /**
   * Adds a call to the pending calls under a new id.
   *
   * @param isLimited whether {@link Limits#pendingCalls} applies
   */
  void enter(Pending<?> call, boolean isLimited) {
    if (isLimited ? calls.add(call) : calls.restore(call)) {
      clock.watch(this, call.due);
    }
  }

  /** Removes a call that enters another table; returns false if it has ended. */
  boolean leave(Pending<?> call) {
    return calls.remove(call);
  }

  /**
   * Sends a frame with the given content. Sends nothing if writing the content throws, or if all
   * calls of the frame were cancelled or timed out meanwhile.
   *
   * @param headers the headers of the message; ignored on a channel with a connection
   * @param gathers whether the frame may leave later, with others
   * @return whether the frame was committed
   */
  private boolean write(Params content, Headers headers, @Nullable Unsent calls, boolean gathers) {
    OutboundFrame out = channel.open().initiate();
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
    counts.sent(out.size() - out.textStart());
    if (messages != null) {
      messages.send(
          calls == null ? OutgoingMessage.of(out, headers) : calls.message(out, headers, this));
    } else if (gathers && PassedOn.takes(channel)) {
      channel.gather(out);
    } else {
      channel.commit(out);
    }
    return true;
  }

  /**
   * Marks a call as sent. Sends the cancellation if the call was cancelled or timed out during the
   * commit.
   */
  private void sent(Pending<?> pending) {
    if (!pending.sent(this)) {
      sendCancellation(pending);
    } else if (pending.stream != null) {
      pending.stream.sent(pending.id());
    }
  }

  // ---------------------------------------------------------------- streams

  @Override
  public boolean isConnection() {
    return messages == null;
  }

  @Override
  public void receives() {
    if (streams == null) {
      synchronized (this) {
        if (streams == null) {
          streams = new ReceivedStreams();
        }
      }
    }
  }

  /** Returns whether a notification of that name may carry items for this side. */
  boolean mayPush(String method) {
    return streams != null || method.equals(ReceivedStream.ITEMS);
  }

  private ReceivedStreams streams() {
    return Objects.requireNonNull(streams);
  }

  @Override
  public boolean register(ReceivedStream.Key key, ReceivedStream<?> stream) {
    boolean added = streams().add(key, stream);
    calls.requireOpen(); // close() may have failed the streams before this one was added
    return added;
  }

  @Override
  public boolean unregister(ReceivedStream.Key key, ReceivedStream<?> stream) {
    return streams().remove(key, stream);
  }

  /**
   * Passes a notification on to its stream. Returns false if it belongs to none: then it is late,
   * or for a method.
   */
  boolean push(String method, Json params) {
    if (params.kind() != Json.Kind.OBJECT) {
      return false;
    }
    if (!method.equals(ReceivedStream.ITEMS)) {
      return streams().push(method, params);
    }
    Json id = params.get("id");
    Pending<?> pending = id == null ? null : calls.find(id);
    return pending != null && pending.push(params);
  }

  @Override
  public boolean hasRoom(Runnable again) {
    return !isConnection() || hasRoom.test(again);
  }

  @Override
  public void grant(long id, long items) {
    if (!isConnection()) {
      channel.resume();
      return;
    }
    UserCode.run(() -> write(
        out -> {
          codec.beginCall(out, Codec.NO_ID, ReceivedStream.CREDIT, true);
          out.ascii("{\"id\":").number(id).ascii(",\"n\":").number(items).put('}');
          codec.endCall(out, Codec.NO_ID);
        },
        Headers.NONE,
        null,
        false));
  }

  @Override
  public void violation(String what) {
    UserCode.run(() -> options.listener().violation(channel.info(), what));
  }

  // ---------------------------------------------------------------- giving up

  /**
   * Cancels a call after its future was completed by the user. Sends the cancellation to the peer
   * if the call was sent and has no response yet.
   */
  void cancelled(Pending<?> pending) {
    if (calls.giveUp(pending) && pending.giveUp()) {
      sendCancellation(pending);
    }
  }

  /**
   * Sends the cancellation of a call to the peer, with the headers of the call: this thread must
   * not wait for a supplier. Throws nothing: in a sweep, a failure here must not keep the futures
   * of the other expired calls from failing.
   */
  private void sendCancellation(Pending<?> pending) {
    UserCode.run(() -> {
      boolean cancels = messages != null && messages.cancels();
      boolean ended = cancels && options.dialect().isCancelledByDisconnect();
      String method = options.dialect().cancelMethod();
      if (method != null && !ended && codec.isCancelTaken()) {
        Json params = options.dialect().cancelParams(Id.of(pending.id()));
        long id = options.dialect().isCancelAnswered() ? calls.nextUnawaited() : Codec.NO_ID;
        write(out -> codec.call(out, id, method, params), pending.headers, null, false);
      }
    });
  }

  @Override
  public long due() {
    return calls.due();
  }

  @Override
  public long expire(long now) {
    Pending.endAll(calls.expire(now), this::expire);
    return calls.due();
  }

  private void expire(Pending<?> pending) {
    boolean sent = pending.giveUp();
    if (sent) {
      sendCancellation(pending);
    }
    UserCode.run(pending::endMessage);
    boolean waited = pending.inUnsentBatch || messages instanceof Carrier; // else under way
    String state = messages instanceof Carrier carrier ? carrier.state() : "";
    String rest = channel.info().other() + "; the call was cancelled" + state + afterInput.get();
    pending.future.fail(pending.late(rest, sent || !waited));
  }

  /** Fails all pending calls. Later calls throw {@link DisconnectedException}. */
  void close(String why, @Nullable Throwable cause) {
    List<Pending<?>> left = calls.close(why, cause);
    clock.forget(this);
    Pending.endAll(
        left,
        pending -> pending.disconnected(new DisconnectedException(
            why + "; '" + pending.method() + "' was not answered", cause)));
    ReceivedStreams open = streams;
    if (open != null) {
      open.close(why, cause);
    }
  }
}

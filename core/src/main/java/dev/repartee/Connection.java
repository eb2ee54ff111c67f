package dev.repartee;

import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.message.Codec;
import dev.repartee.message.Id;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The serving side of one connection, or of one frame without a connection: the parts that its
 * exchanges, streams and answers share. The {@link Responder} decodes its frames and starts its
 * calls. Thread-safe.
 */
final class Connection {
  /**
   * The number of bytes in flight on one connection that are not charged to {@link MemoryBudget}.
   */
  private static final int FREE = 64 << 10;

  /**
   * The same number for a frame without a connection. It is smaller, since many such frames may be
   * served in parallel.
   */
  static final int FREE_ALONE = 16 << 10;

  private final ServerContext context;
  private final Codec codec;
  private final FrameSink sink;
  private final ChannelInfo info;
  private final @Nullable Peer peer;
  private final Attributes attributes;
  private final Scheduler scheduler;
  private final Executor workers;

  /** Created on first use; guarded by this. */
  private @Nullable Subscriptions subscriptions;

  private volatile boolean inputClosed;

  /** The streams that wait for room in the write queue; null until one had to. */
  private volatile @Nullable Set<Runnable> waitForRoom;

  /** Creates the connection of a peer. */
  Connection(ServerContext context, Channel channel, Peer peer) {
    this(
        context,
        channel,
        channel.info(),
        peer,
        Attributes.NONE,
        context.options().workers(),
        channel::resume);
  }

  /**
   * Creates the connection of a frame that has none.
   *
   * @param resume runs when there is room for more frames; see {@link Scheduler}
   */
  Connection(
      ServerContext context,
      FrameSink sink,
      ChannelInfo info,
      Attributes attributes,
      Executor workers,
      Runnable resume) {
    this(context, sink, info, null, attributes, workers, resume);
  }

  private Connection(
      ServerContext context,
      FrameSink sink,
      ChannelInfo info,
      @Nullable Peer peer,
      Attributes attributes,
      Executor workers,
      Runnable resume) {
    this.context = context;
    this.codec = context.options().codec();
    this.sink = sink;
    this.info = info;
    this.peer = peer;
    this.attributes = attributes;
    this.workers = workers;
    int free = peer == null ? FREE_ALONE : FREE;
    this.scheduler = new Scheduler(context, free, workers, sink, resume);
    scheduler.countFor(context.status());
  }

  ServerContext context() {
    return context;
  }

  Options options() {
    return context.options();
  }

  Codec codec() {
    return codec;
  }

  FrameSink sink() {
    return sink;
  }

  /** Returns the description of the channel, which may change as long as it is open. */
  ChannelInfo info() {
    return peer == null ? info : peer.channel();
  }

  /** Returns the peer; null for a frame without a connection. */
  @Nullable Peer peer() {
    return peer;
  }

  /** Returns the initial attributes of the calls in the frame that is being served. */
  Attributes attributes() {
    return peer == null ? attributes : peer.attributes();
  }

  Scheduler scheduler() {
    return scheduler;
  }

  /** Returns the executor of handlers and streams. */
  Executor workers() {
    return workers;
  }

  /**
   * Returns the lane of a message. If answers have the order of their requests, an inline request
   * holds the lane, too: its handler may return a stage.
   */
  Lane lane(RpcMethod method, boolean notification) {
    return !notification && answersInOrder() ? Lane.ORDERED : method.lane(notification);
  }

  /** Returns whether the answers have the order of their requests. */
  boolean answersInOrder() {
    return peer != null && options().dialect().answersInOrder();
  }

  // ---------------------------------------------------------------- sending

  /** Returns the error for a message that exceeds a limit for now. */
  RpcError busy(LimitException refusal) {
    return options().dialect().busy(refusal.limit(), refusal.max());
  }

  /** Sends an error with the id null. Throws nothing. */
  void error(RpcError error) {
    try {
      ResponseWriter.withoutId(this).writeError(error);
    } catch (Throwable e) { // there was no memory for the writer
      abort(e);
    }
  }

  /** Sends a notification. */
  void sendNotification(String method, Json params) {
    OutboundFrame out = sink.open().initiate();
    try {
      codec.call(out, Codec.NO_ID, method, params);
    } catch (RuntimeException | Error e) {
      sink.discard(out);
      throw e;
    }
    commit(out, false);
  }

  /**
   * Sends a frame. Throws nothing. Drops the frame if the peer has disconnected. Any other failure
   * ends the connection, since it is unknown whether the frame was sent.
   *
   * @param gather whether the sink sends the frame later, with its next flush
   */
  void commit(OutboundFrame out, boolean gather) {
    scheduler.calls().sent(out.size() - out.textStart());
    commitCounted(out, gather);
  }

  /** Sends a frame as {@link #commit} does, but does not count its bytes: the caller has. */
  void commitCounted(OutboundFrame out, boolean gather) {
    try {
      if (gather) {
        sink.gather(out);
      } else {
        sink.commit(out);
      }
    } catch (DisconnectedException e) {
      // The channel reports its end itself.
    } catch (Throwable e) {
      abort(e);
    }
  }

  /** Drops a frame that was started. Throws nothing. */
  void discard(OutboundFrame out) {
    try {
      sink.discard(out);
    } catch (Throwable e) {
      // The error written in its place shows whether the sink still works.
    }
  }

  /**
   * Ends the connection, because a request cannot be answered, or because an incoming message
   * exceeds a limit and cannot be refused. Throws nothing.
   */
  void abort(Throwable cause) {
    try {
      sink.abort(cause);
    } catch (Throwable e) {
      // The sink cannot even end the connection; nothing else can be done.
    }
  }

  // ---------------------------------------------------------------- reports

  /** Reports to the listener that the peer broke the protocol. */
  void violation(String what) {
    UserCode.run(() -> options().listener().violation(info(), what));
  }

  /** Counts and reports a call that no layer sees. Throws nothing. */
  void refused(Supplier<RefusedCall> call) {
    UserCode.run(() -> {
      RefusedCall refused = call.get();
      scheduler.calls().refused(refused.reason());
      options().listener().refused(refused);
    });
  }

  /** Returns the description of a refused call on this connection. */
  RefusedCall refusedCall(
      Attributes attributes,
      @Nullable String method,
      boolean isKnown,
      @Nullable Id id,
      String reason,
      RpcError error) {
    return new RefusedCall(
        info(), options().dialect(), attributes, method, isKnown, id, reason, error);
  }

  /** Reports the exception of a handler that fails after the end of its call. Throws nothing. */
  void failedLate(String method, Throwable cause) {
    boolean expected = cause instanceof CancellationException
        || cause instanceof RpcException && !(cause instanceof RemoteRpcException)
        || context.errorFor(cause) != null;
    if (!expected) {
      UserCode.run(() -> options()
          .listener()
          .notice(
              info(), "the method '" + method + "' failed after the end of its call: " + cause));
    }
  }

  // ---------------------------------------------------------------- streams

  /**
   * Returns whether the write queue has room for a frame. If not, runs the action once when it has,
   * or at the end of the connection.
   *
   * @throws DisconnectedException if no more frames can be sent
   */
  boolean hasRoom(Runnable again) {
    if (Room.within(sink, 0)) {
      return true;
    }
    whenRoom(again);
    return Room.within(sink, 0); // room may have come before the action was added
  }

  private void whenRoom(Runnable action) {
    Set<Runnable> waiting = waitForRoom;
    if (waiting == null) {
      synchronized (this) {
        waiting = waitForRoom;
        if (waiting == null) {
          waiting = ConcurrentHashMap.newKeySet();
          waitForRoom = waiting;
          sink.onRoom(this::roomForStreams);
        }
      }
    }
    waiting.add(action);
  }

  /** Drops the action of {@link #hasRoom}. */
  void forget(Runnable action) {
    Set<Runnable> waiting = waitForRoom;
    if (waiting != null) {
      waiting.remove(action);
    }
  }

  /** Continues when the write queue has room again: starts waiting messages and resumes streams. */
  void roomAgain() {
    scheduler.roomAgain();
    roomForStreams();
  }

  /** Runs the actions that wait for room, because the connection has ended. */
  void endWaiting() {
    roomForStreams();
  }

  private void roomForStreams() {
    Set<Runnable> waiting = waitForRoom;
    Throwable failure = waiting == null
        ? null
        : UserCode.forEach(waiting, action -> {
          waiting.remove(action); // first: the action may have to wait again
          action.run();
        });
    if (failure != null) {
      abort(failure); // a stream might wait for room for ever
    }
  }

  /** Returns the subscriptions of this connection. */
  synchronized Subscriptions subscriptions() {
    Subscriptions known = subscriptions;
    if (known == null) {
      known = new Subscriptions(options().limits().subscriptions());
      subscriptions = known;
    }
    return known;
  }

  /** Ends all subscriptions, because the connection has ended. */
  void endSubscriptions() {
    subscriptions().close(); // creates them if there are none, so that none are added later
  }

  /**
   * Ends the streams and subscriptions: the other side has ended its output, and grants nothing.
   */
  void inputClosed() {
    inputClosed = true; // before the streams are looked for
    scheduler.cancelStreams();
    endSubscriptions();
  }

  boolean isInputClosed() {
    return inputClosed;
  }
}

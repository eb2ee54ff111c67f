package dev.repartee;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Framing;
import dev.repartee.internal.Bytes;
import dev.repartee.internal.Threads;
import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonScanner;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.ReadingThread;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The serving half of the engine: it decodes frames, runs the methods of a service and sends the
 * replies. Inside a {@link Peer} it serves one connection, inside a {@link FrameResponder} one
 * frame. Thread-safe.
 */
final class Responder {
  // Implementation note.
  //
  // The path of a frame:
  //
  //   serve --> Codec.decode --> dispatch, for a single message
  //                         \--> serveBatch --> dispatch, for each element
  //   dispatch --> a request or notification --> run     a response --> Caller.accept
  //                                                      an invalid message --> error -32600
  //
  // All of them take the Element of the thread's Scratch, which points at one message.
  //
  // run() has three ways, from fast to slow:
  //   1. Inline, borrowed: the BorrowedExchange of the Element refers to the read buffer; nothing
  //      is copied. Only for methods that give user code nothing but arguments
  //      (ServerContext.isSeen).
  //   2. Inline, owned: the handler gets a Call or may answer later, so an OwnedExchange copies the
  //      bytes and is registered with the Scheduler, but runs on the reader.
  //   3. Queued: the Scheduler starts the OwnedExchange on a worker.
  //
  // A request must be answered once, or the connection must end; anything else leaves a caller
  // waiting:
  //   - A fault before the commit of a frame is answered with an error, or with a smaller error if
  //     that cannot be written (ResponseWriter).
  //   - A fault in the commit ends the connection (abort), since nobody knows whether the frame
  //     will be sent. A fault while the frame is decoded or dispatched does the same: it may
  //     contain requests that no code knows of.
  //   - A notification cannot be answered. If it exceeds a limit on a connection, the connection
  //     ends, because later messages may depend on it.
  //
  // Without a peer (FrameResponder) this side makes no calls, so a response is an invalid message.
  // Every fault is answered. A peer that is a client (Options.answersUnreadable) answers no input
  // but requests, and reports other input once, since a server that logs to its standard output
  // does so for every call.
  //
  // Threads. serve() runs on one thread at a time; answers come from any thread. closing is
  // volatile and is read after scheduler.beginFrame(): a request that was not refused keeps the
  // connection from becoming idle, so its answer is sent before the end.

  /**
   * The number of bytes in flight on one connection that are not charged to {@link MemoryBudget}.
   */
  private static final int FREE = 64 << 10;

  /** The same number for a frame without a connection, of which many may be served at once. */
  private static final int FREE_ALONE = 16 << 10;

  private final ServerContext context;
  private final Codec codec;
  private final FrameSink sink;
  private final ChannelInfo channel;
  private final @Nullable Peer peer;
  private final Attributes attributes;
  private final Scheduler scheduler;
  private final Executor workers;

  /** Created on first use; guarded by this. */
  private @Nullable Subscriptions subscriptions;

  private volatile boolean closing;
  private volatile boolean inputClosed;

  /** Whether an error with the id null waits for the answers to earlier requests. */
  private volatile boolean faultWaits;

  /** Whether input without an answer was reported. Used by the thread that serves. */
  private boolean reported;

  /** The streams that wait for room in the write queue; null until one had to. */
  private volatile @Nullable Set<Runnable> waitForRoom;

  /** Creates the serving half of a peer. */
  Responder(ServerContext context, Codec codec, Channel channel, Peer peer) {
    this(
        context,
        codec,
        channel,
        channel.info(),
        peer,
        Attributes.NONE,
        Threads.CALLS,
        channel::resume);
  }

  /** Creates a responder without a connection. */
  Responder(
      ServerContext context,
      FrameSink sink,
      ChannelInfo channel,
      @Nullable Peer peer,
      Attributes attributes,
      Executor workers,
      Runnable resume) {
    this(
        context,
        context.options().dialect().codec(),
        sink,
        channel,
        peer,
        attributes,
        workers,
        resume);
  }

  private Responder(
      ServerContext context,
      Codec codec,
      FrameSink sink,
      ChannelInfo channel,
      @Nullable Peer peer,
      Attributes attributes,
      Executor workers,
      Runnable resume) {
    this.context = context;
    this.codec = codec;
    this.sink = sink;
    this.channel = channel;
    this.peer = peer;
    this.attributes = attributes;
    this.workers = workers;
    int free = peer == null ? FREE_ALONE : FREE;
    this.scheduler = new Scheduler(context.options().limits(), free, workers, sink, resume);
    scheduler.countFor(context.status());
  }

  // ---------------------------------------------------------------- one frame

  /**
   * Serves a frame that came without a connection. If it cannot be served no reply can be sent any
   * more, so all its calls are abandoned. Throws nothing.
   */
  void serveAlone(byte[] b, int from, int to) {
    try {
      serve(b, from, to);
    } catch (Throwable e) {
      abort(e);
      scheduler.abandon();
    }
  }

  /**
   * Serves a frame; returns whether it was JSON. If this throws, usually for lack of memory, the
   * frame may contain requests that will never be answered. Then the caller has to {@linkplain
   * #abort end} the connection.
   */
  boolean serve(byte[] b, int from, int to) {
    Scratch scratch = Scratch.take();
    scheduler.beginFrame(); // before "closing" is read: a request that is not refused is answered
    try {
      Element element = scratch.element(options().limits(), options().lenience());
      element.from = from;
      element.to = to;
      try {
        codec.decode(b, from, to, element.frame);
      } catch (JsonException e) {
        String what = e.inTextFrom(from) + framingHint(b, from, to);
        refuseText(
            RpcError.notJson(what),
            "not JSON, " + what + near(b, Math.max(from, e.offset()), to),
            e.limit());
        return false;
      }
      if (element.frame.isBatch()) {
        serveBatch(element, to - from);
      } else {
        dispatch(element);
      }
      return true;
    } finally {
      scratch.release();
      scheduler.endFrame();
    }
  }

  /** Returns whether all valid messages of a frame are for methods declared idempotent. */
  boolean isIdempotent(byte[] b, int from, int to) {
    Scratch scratch = Scratch.take();
    try {
      Element element = scratch.element(options().limits(), options().lenience());
      codec.decode(b, from, to, element.frame);
      for (int i = 0; i < Math.max(1, element.frame.count()); i++) {
        int kind = element.frame.kind(i);
        if (kind == ParsedFrame.REQUEST || kind == ParsedFrame.NOTIFICATION) {
          RpcMethod method = context.service().find(element.frame.methodName(i));
          if (method != null && !method.isIdempotent()
              || method == null && context.service().servesOthers()) {
            return false;
          }
        }
      }
      return true;
    } catch (JsonException e) {
      return true; // nothing of it can be run
    } finally {
      scratch.release();
    }
  }

  /**
   * Returns the remedy for a peer that sends a message on several lines where each line is a
   * message: for a line with an opening bracket alone, the first one of such a message.
   */
  private String framingHint(byte[] b, int from, int to) {
    int start = JsonScanner.start(b, from, to);
    boolean begun = start < to
        && (b[start] == '{' || b[start] == '[')
        && JsonScanner.space(b, start + 1, to) == to;
    return begun && channel().framing().equals(Framing.LINES.label())
        ? "; under #framing=lines a message is one line, and #framing=concatenated takes several"
        : "";
  }

  /** Returns an excerpt of the input at a fault, for a client: its server may explain it there. */
  private String near(byte[] b, int at, int to) {
    return answersFaults() || at >= to ? "" : ", near " + Bytes.excerpt(b, at, to);
  }

  private void serveBatch(Element element, int size) {
    LimitException refusal = scheduler.checkRoom(size);
    if (refusal != null) {
      refuseMessage(busy(refusal), "a batch: " + refusal.getMessage());
      return;
    }
    ParsedFrame frame = element.frame;
    int due = 0;
    for (int i = 0; i < frame.count(); i++) {
      due += isResponseDue(frame, i) ? 1 : 0;
    }
    BatchReply reply = new BatchReply(this, due);
    try {
      int slot = 0;
      for (int i = 0; i < frame.count(); i++) {
        element.moveTo(i, reply, slot);
        dispatch(element);
        slot += isResponseDue(frame, i) ? 1 : 0;
      }
    } finally {
      element.leaveBatch();
    }
    reply.allDispatched();
  }

  private boolean isResponseDue(ParsedFrame frame, int i) {
    return switch (frame.kind(i)) {
      case ParsedFrame.REQUEST -> true;
      case ParsedFrame.INVALID -> answersFaults() || frame.isInvalidRequest(i);
      case ParsedFrame.RESPONSE -> peer == null;
      default -> false;
    };
  }

  private void dispatch(Element element) {
    switch (element.kind()) {
      case ParsedFrame.REQUEST -> {
        scheduler.countAnswer(element.idTo() - element.idFrom());
        RpcMethod method = element.methodOf(context.service());
        if (method == null) {
          answer(element, context.noMethod());
        } else if (closing) {
          answer(element, options().dialect().busy("closing", 0));
        } else {
          LimitException refusal = run(element, method);
          if (refusal != null) {
            answer(element, busy(refusal));
          }
        }
      }
      case ParsedFrame.NOTIFICATION -> {
        RpcMethod method = element.methodOf(context.service());
        if (mayBelongToStream(method) && push(element)) {
          break;
        }
        LimitException refusal = method == null ? null : run(element, method);
        if (refusal != null) {
          refuseNotification(refusal);
        }
      }
      case ParsedFrame.RESPONSE -> {
        if (peer != null) {
          peer.caller().accept(element.frame, element.index());
          if (element.frame.isFlawed(element.index())) {
            endAfterInvalid();
          }
        } else {
          refuse(element, "the message is a response, but nothing was called here");
        }
      }
      default -> refuse(element, InvalidMessage.of(element.frame, element.index()));
    }
    ReadingThread
        .clearInterrupt(); // an inline handler, or a callback of an answer, may have set it
  }

  /**
   * Returns whether a notification may belong to a stream that this side receives: an unknown one,
   * or {@code $/progress} of LSP, which carries partial results and other progress.
   */
  private static boolean mayBelongToStream(@Nullable RpcMethod method) {
    return method == null || method.isOther() || method.name().equals(ReceivedStream.PROGRESS);
  }

  /**
   * Passes a notification on to a stream that this side receives; returns false if it belongs to
   * none.
   */
  private boolean push(Element element) {
    if (peer == null
        || !peer.caller().isReceiving()
        || element.paramsFrom() >= element.paramsTo()) {
      return false;
    }
    Json params = UnsafeJson.copy(element.bytes(), element.paramsFrom(), element.paramsTo());
    return peer.caller().push(element.methodName(), params);
  }

  private void refuseNotification(LimitException refusal) {
    if (peer == null) {
      refuseMessage(busy(refusal), "a notification: " + refusal.getMessage());
    } else {
      peer.abort(refusal); // later messages may depend on this one
    }
  }

  /** Reports an invalid message, and answers it, unless this is a client and it is no request. */
  private void refuse(Element element, String reason) {
    boolean answered = answersFaults() || element.frame.isInvalidRequest(element.index());
    report(
        "not a valid message, " + reason + near(element.bytes(), element.from, element.to),
        null,
        answered);
    RpcError refusal = element.frame.refusal();
    RpcError error = refusal == null ? RpcError.notARequest(reason) : refusal;
    int id = element.idTo() - element.idFrom();
    if (answered && (id > 0 || answersWithoutId())) {
      scheduler.countAnswer(id);
      if (id == 0 && element.batch == null && answersInOrder()) {
        errorInOrder(error);
      } else {
        answer(element, error);
      }
    }
    if (refusal == null) {
      endAfterInvalid();
    }
  }

  /**
   * Sends an error with the id null after the answers to earlier requests. While it waits, further
   * ones are left out, so that bad input takes no memory.
   */
  private void errorInOrder(RpcError error) {
    if (!faultWaits) {
      faultWaits = true;
      scheduler.whenIdle(() -> {
        // The reader may read more before the connection ends: one error is enough.
        faultWaits = options().dialect().endsAfterInvalid();
        error(error);
      });
    }
  }

  private boolean answersWithoutId() {
    return options().dialect().answersWithoutId();
  }

  private void endAfterInvalid() {
    if (peer != null && options().dialect().endsAfterInvalid()) {
      peer.closeAfterInvalid();
    }
  }

  /** Answers a message that no exchange serves. */
  private void answer(Element element, RpcError error) {
    boolean request = element.kind() == ParsedFrame.REQUEST;
    String method = request ? element.methodName() : null;
    if (!scheduler.isClear() && answersInOrder()) {
      RpcMethod failing = RpcMethod.immediate(
          method == null ? "" : method, exchange -> exchange.fail(new RpcException(error)));
      if (scheduler.admit(new OwnedExchange(this, element, failing)) == null) {
        return; // otherwise the queue is full: an answer out of order is better than none
      }
    }
    ResponseWriter response = new ResponseWriter();
    response.answerTo(this, element, method);
    response.writeError(error);
  }

  /**
   * Runs the message inline if possible, otherwise queues it; returns the limit it exceeds, or
   * null.
   */
  private @Nullable LimitException run(Element element, RpcMethod method) {
    boolean notification = element.kind() == ParsedFrame.NOTIFICATION;
    boolean inline =
        method.isImmediate() || lane(method, notification) == Lane.INLINE && mayRunNow(method);
    if (!inline) {
      LimitException refusal = checkRoomForLarge(element);
      return refusal != null ? refusal : scheduler.admit(new OwnedExchange(this, element, method));
    }
    if (context.isSeen(method)) {
      OwnedExchange x = new OwnedExchange(this, element, method);
      LimitException refusal = scheduler.admitInline(x);
      if (refusal == null) {
        x.serve();
        if (!x.isStaged()) {
          x.finish();
        }
      }
      return refusal;
    }
    if (!method.isImmediate()) { // cancellation, credit and progress are no calls
      scheduler.servedInline();
    }
    element.exchange.serve(this, element, method);
    return null;
  }

  /**
   * Returns whether the reader may run an inline method. A message that is passed on does not wait
   * for room for its answer: otherwise a response, which goes to its caller at once, would overtake
   * the notifications that were sent before it.
   */
  private boolean mayRunNow(RpcMethod method) {
    return method.isOther() ? !scheduler.isHeldBack() : scheduler.isClear();
  }

  /**
   * Returns the lane in which a message runs. If answers have the order of their requests, an
   * inline request holds the lane, too: its handler may return a stage.
   */
  Lane lane(RpcMethod method, boolean notification) {
    return !notification && answersInOrder() ? Lane.ORDERED : method.lane(notification);
  }

  private boolean answersInOrder() {
    return peer != null && options().dialect().answersInOrder();
  }

  /**
   * Returns the memory limit that a large single message exceeds, or null, before the message is
   * copied.
   */
  private @Nullable LimitException checkRoomForLarge(Element element) {
    int params = element.paramsTo() - element.paramsFrom();
    return element.batch != null || params < FREE_ALONE ? null : scheduler.checkRoom(params);
  }

  // ---------------------------------------------------------------- answers of our own

  /** Returns the error for a message that exceeds a limit for now. */
  RpcError busy(LimitException refusal) {
    return options().dialect().busy(refusal.limit(), refusal.max());
  }

  /** Handles input that the framing cannot read. */
  void fault(FrameFault fault) {
    boolean explainsMore = fault.fatal() || fault.limit() != null; // the end, or a missing answer
    boolean answered = answersFaults();
    report(fault.reason(), fault.limit(), answered || explainsMore);
    if (answered) {
      answerFault(RpcError.of(fault));
    }
    endAfterInvalid();
  }

  /** Reports a text that is not JSON, and answers it unless this is a client. */
  private void refuseText(RpcError error, String reason, @Nullable LimitException limit) {
    boolean answered = answersFaults();
    report(reason, limit, answered || limit != null);
    if (answered) {
      answerFault(error);
    }
    endAfterInvalid();
  }

  /** Reports and answers a message that exceeds a limit for now. */
  private void refuseMessage(RpcError error, String reason) {
    violation(reason);
    answerFault(error);
    endAfterInvalid();
  }

  /** Reports input to the listener: each, or the first only. */
  private void report(String reason, @Nullable LimitException limit, boolean each) {
    if (!each && reported) {
      return;
    }
    reported |= !each;
    if (limit == null) {
      violation(reason);
    } else {
      UserCode.run(() -> options().listener().dropped(channel(), limit, reason));
    }
  }

  private void answerFault(RpcError error) {
    if (answersWithoutId()) {
      scheduler.countAnswer(0);
      if (answersInOrder()) {
        errorInOrder(error);
      } else {
        error(error);
      }
    }
  }

  private boolean answersFaults() {
    return peer == null || peer.answersFaults();
  }

  /** Sends an error with the id null. Throws nothing. */
  void error(RpcError error) {
    try {
      ResponseWriter.withoutId(this).writeError(error);
    } catch (Throwable e) { // there was no memory for the writer
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
   * Sends a frame at once or, if {@code gather} is true, with the next flush of the sink. Throws
   * nothing. If the peer has disconnected, the frame is dropped. After any other failure the frame
   * may or may not have been sent, so the connection ends.
   */
  void commit(OutboundFrame out, boolean gather) {
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

  /**
   * Returns whether the write queue takes a frame. If not, runs the action once when it does, or at
   * the end of the connection.
   *
   * @throws DisconnectedException if no more frames can be sent
   */
  boolean hasRoom(Runnable again) {
    if (Caller.hasRoom(sink, 0)) {
      return true;
    }
    whenRoom(again);
    return Caller.hasRoom(sink, 0); // room may have come before the action was added
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

  /** Continues when the write queue has room again: starts messages, and lets streams go on. */
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
          waiting.remove(action); // first: it may have to wait again at once
          action.run();
        });
    if (failure != null) {
      abort(failure); // a stream might wait for room for ever
    }
  }

  /** Ends the connection, because a request cannot be answered. Throws nothing. */
  void abort(Throwable cause) {
    try {
      sink.abort(cause);
    } catch (Throwable e) {
      // The sink cannot even end the connection; nothing else can be done.
    }
  }

  /** Reports to the listener that the peer broke the protocol. */
  void violation(String what) {
    UserCode.run(() -> options().listener().violation(channel(), what));
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
              channel(), "the method '" + method + "' failed after the end of its call: " + cause));
    }
  }

  void closing() {
    closing = true;
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

  /** Returns the initial attributes of the calls in the frame that is being served. */
  Attributes attributes() {
    return sink instanceof Channel connection ? connection.attributes() : attributes;
  }

  FrameSink sink() {
    return sink;
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

  /** Returns the executor of handlers and streams. */
  Executor workers() {
    return workers;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  @Nullable Peer peer() {
    return peer;
  }

  ChannelInfo channel() {
    return peer == null ? channel : peer.channel();
  }
}

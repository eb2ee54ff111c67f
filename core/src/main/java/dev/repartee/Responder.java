package dev.repartee;

import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The serving half of the engine: it decodes frames, runs the methods of a service and sends the
 * replies.
 *
 * <p>Inside a {@link Peer} it serves one connection. Transports with one reply for each request,
 * such as HTTP, use it without a connection: {@link FrameResponder#respond} for each frame. There a handler
 * cannot call back, and {@link Call#peer()} reports that. Thread-safe.
 */
public final class Responder {
  // Implementation note.
  //
  // The path of a frame:
  //
  //   accept --> serve --> decode --> dispatch, for a single message
  //                              \--> batch --> dispatch, for each element
  //   dispatch --> request or notification --> run       a response --> Caller.accept
  //                                                      an invalid message --> error -32600
  //
  // run() has three ways, from fast to slow:
  //   1. Inline, borrowed: the Exchange of the thread's Scratch refers to the read buffer; nothing
  //      is copied. Only for methods that give user code nothing but arguments
  // (ServerContext.isSeen).
  //   2. Inline, owned: the handler gets a Call or may answer later, so the Exchange copies its
  //      bytes and is registered with the Scheduler, but runs on the reader.
  //   3. Queued: the Scheduler starts the Exchange on a worker.
  //
  // A request must be answered once, or the connection must end; anything else leaves a caller
  // waiting:
  //   - A fault before the commit of a frame is answered with an error, or with a smaller error if
  //     that cannot be written (errorFrame).
  //   - A fault in the commit ends the connection (abort), since nobody knows whether the frame
  //     will be sent. A fault while the frame is decoded or dispatched does the same: it may
  //     contain requests that no code knows of.
  //   - A notification cannot be answered. If it exceeds a limit on a connection, the connection
  //     ends, because later messages may depend on it.
  //
  // Without a peer (FrameResponder) there is nobody to receive an answer to a call of this side, so
  // a
  // response is an invalid message, and every fault is answered. A peer that is a pure client
  // answers no faults.
  //
  // Threads. accept() runs on one thread at a time; answers come from any thread. closing is
  // volatile and is read after lanes.beginFrame(): a request that was not refused keeps the
  // connection from becoming idle, so its answer is sent before the end.

  /** The number of bytes in flight on one connection that are not charged to {@link MemoryBudget}. */
  private static final int FREE = Loop.BUFFER;

  /** The same number for a frame without a connection, of which many may be served at once. */
  private static final int FREE_ALONE = 16 << 10;

  private static final byte[] NO_BYTES = {};

  private final ServerContext serving;
  private final Codec codec;
  private final FrameSink outlet;
  private final ChannelInfo channel;
  private final @Nullable Peer peer;
  private final Attributes attributes;
  private final Scheduler lanes;
  private volatile boolean closing;

  /** Creates the serving half of a peer. */
  Responder(ServerContext serving, Channel channel, Peer peer) {
    this(serving, channel, channel.info(), peer, Attributes.NONE, Threads.CALLS, channel::resume);
  }

  Responder(
      ServerContext serving,
      FrameSink outlet,
      ChannelInfo channel,
      @Nullable Peer peer,
      Attributes attributes,
      Executor workers,
      Runnable resume) {
    this.serving = serving;
    this.codec = serving.options().dialect().codec();
    this.outlet = outlet;
    this.channel = channel;
    this.peer = peer;
    this.attributes = attributes;
    int free = peer == null ? FREE_ALONE : FREE;
    this.lanes = new Scheduler(serving.options().limits(), free, workers, outlet, resume);
  }

  /**
   * Creates a responder for frames without a connection.
   *
   * @param channel the description that {@link Call#channel} and the listener receive
   */
  public static FrameResponder of(Service service, Options options, ChannelInfo channel) {
    return new FrameResponder(new ServerContext(service, options), channel, Attributes.NONE);
  }

  /**
   * A responder for single frames, which are served independently and in no order. The transport
   * has to limit the size of a frame and the number of frames that are served at once. Immutable
   * and thread-safe.
   */
  public static final class FrameResponder implements FrameService {
    /**
     * The serving side of the frame that the current worker serves. Each frame has lanes of its
     * own, so there are no lanes of a connection to ask for the workers of a server.
     */
    private static final ThreadLocal<@Nullable ServerContext> RUNNING = new ThreadLocal<>();

    private final ServerContext serving;
    private final ChannelInfo channel;
    private final Attributes attributes;
    private final Executor workers;

    FrameResponder(ServerContext serving, ChannelInfo channel, Attributes attributes) {
      this(serving, channel, attributes, task -> Threads.CALLS.execute(() -> run(serving, task)));
    }

    private FrameResponder(
        ServerContext serving, ChannelInfo channel, Attributes attributes, Executor workers) {
      this.serving = serving;
      this.channel = channel;
      this.attributes = attributes;
      this.workers = workers;
    }

    private static void run(ServerContext serving, Runnable task) {
      RUNNING.set(serving);
      try {
        task.run();
      } finally {
        RUNNING.remove();
      }
    }

    /** Returns whether the calling thread is a worker that serves a frame of any such responder. */
    static boolean anyRunsHere() {
      return RUNNING.get() != null;
    }

    /** Returns whether the calling thread is a worker that serves a frame of this responder. */
    boolean runsHere() {
      return RUNNING.get() == serving;
    }

    @Override
    public FrameResponder of(ChannelInfo channel, Attributes attributes) {
      return new FrameResponder(serving, channel, attributes, workers);
    }

    /** Returns the options. */
    public Options options() {
      return serving.options();
    }

    @Override
    public InFlightFrame serve(byte[] frame, int from, int to, FrameSink replies) {
      Responder responder =
          new Responder(serving, replies, channel, null, attributes, workers, () -> {});
      responder.accept(frame, from, to);
      if (!serving.options().limits().handlerTimeout().isZero()) {
        responder.lanes.whenIdle(responder.lanes::rest);
      }
      return new InFlightFrame(responder.lanes);
    }

    @Override
    public int httpStatus(OptionalInt errorCode) {
      return options().dialect().httpStatus(errorCode);
    }

    @Override
    public int httpNotificationStatus() {
      return options().dialect().httpNotificationStatus();
    }

    /** Serves a frame; the stage completes with the reply, or with null if there is none. */
    public CompletionStage<byte @Nullable []> respondAsync(byte[] frame) {
      Single single = new Single(serving.options().limits());
      serve(frame, 0, frame.length, single).whenDone(single::nothing);
      return single.reply;
    }

    /**
     * Serves a frame and waits for the reply.
     *
     * @return the reply, or null if there is none, as for a notification
     * @throws CompletionException if the reply cannot be written, for lack of memory for example
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public byte @Nullable [] respond(byte[] frame) throws InterruptedException {
      try {
        return respondAsync(frame).toCompletableFuture().get();
      } catch (ExecutionException e) {
        throw new CompletionException(e.getCause());
      }
    }
  }

  /** A frame that is being served. Thread-safe. */
  public static final class InFlightFrame implements FrameService.InFlight {
    private final Scheduler lanes;

    InFlightFrame(Scheduler lanes) {
      this.lanes = lanes;
    }

    @Override
    public void whenDone(Runnable action) {
      lanes.whenIdle(action);
    }

    /**
     * Cancels the call with this id, as the {@linkplain Dialect#cancelMethod cancellation message}
     * would. Does nothing if there is no such call.
     */
    public void cancel(Id id) {
      lanes.cancel(id);
    }

    @Override
    public void abandon() {
      lanes.abandon();
    }
  }

  /** An outlet for one reply. */
  private static final class Single implements FrameSink {
    final CompletableFuture<byte @Nullable []> reply = new CompletableFuture<>();
    private final Limits limits;

    Single(Limits limits) {
      this.limits = limits;
    }

    @Override
    public OutboundFrame open() {
      return new OutboundFrame(limits.frameBytes());
    }

    @Override
    public void commit(OutboundFrame frame) {
      reply.complete(frame.toBytes());
    }

    @Override
    public void abort(Throwable cause) {
      reply.completeExceptionally(cause);
    }

    void nothing() {
      reply.complete(null);
    }
  }

  // ---------------------------------------------------------------- one frame

  /**
   * Serves a frame; returns whether it was JSON. A frame that cannot be served, usually for lack of
   * memory, may contain requests that would never be answered, so it ends the connection.
   */
  boolean accept(byte[] b, int from, int to) {
    try {
      return serve(b, from, to);
    } catch (Throwable e) {
      abort(e);
      if (peer == null) {
        lanes.abandon(); // no reply of this frame can be sent any more
      }
      return true;
    }
  }

  private boolean serve(byte[] b, int from, int to) {
    Scratch scratch = Scratch.take();
    lanes.beginFrame(); // before "closing" is read: a request that is not refused is answered
    try {
      ParsedFrame in = scratch.inbound(options().limits(), options().lenience());
      try {
        codec.decode(b, from, to, in);
      } catch (JsonException e) {
        String what = e.inTextFrom(from);
        refuse(
            RpcError.notJson(what), "not JSON, " + what + near(b, Math.max(from, e.offset()), to));
        return false;
      }
      if (in.isBatch()) {
        LimitException refusal = lanes.refusal(to - from);
        if (refusal == null) {
          batch(in, scratch);
        } else {
          refuse(busy(refusal), "a batch: " + refusal.getMessage());
        }
      } else {
        dispatch(in, 0, scratch, null, 0);
      }
      return true;
    } finally {
      scratch.release();
      lanes.endFrame();
    }
  }

  /**
   * Returns an excerpt of the input at a fault, for a pure client: its server may explain it there.
   */
  private String near(byte[] b, int at, int to) {
    return answersFaults() || at >= to ? "" : ", near " + Bytes.excerpt(b, at, to);
  }

  private void batch(ParsedFrame in, Scratch scratch) {
    int owed = 0;
    for (int i = 0; i < in.count(); i++) {
      owed += isOwed(in, i) ? 1 : 0;
    }
    BatchReply reply = new BatchReply(this, owed);
    int slot = 0;
    for (int i = 0; i < in.count(); i++) {
      dispatch(in, i, scratch, reply, slot);
      slot += isOwed(in, i) ? 1 : 0;
    }
    reply.unrolled();
  }

  private boolean isOwed(ParsedFrame in, int i) {
    return switch (in.kind(i)) {
      case ParsedFrame.REQUEST -> true;
      case ParsedFrame.INVALID -> answersFaults();
      case ParsedFrame.RESPONSE -> peer == null;
      default -> false;
    };
  }

  private void dispatch(
      ParsedFrame in, int i, Scratch scratch, @Nullable BatchReply batch, int slot) {
    switch (in.kind(i)) {
      case ParsedFrame.REQUEST -> request(in, i, scratch, batch, slot);
      case ParsedFrame.NOTIFICATION -> notification(in, i, scratch, batch);
      default -> {
        if (in.kind(i) == ParsedFrame.RESPONSE && peer != null) {
          peer.caller().accept(in, i);
        } else {
          String what = in.kind(i) == ParsedFrame.RESPONSE
              ? "the message is a response, but nothing was called here"
              : InvalidMessage.of(in, i);
          violation("not a valid message, " + what);
          if (answersFaults()) {
            error(in, i, batch, slot, RpcError.notARequest(what));
          }
        }
      }
    }
    ReaderThread.clearInterrupt(); // an inline handler, or a callback of an answer, may have set it
  }

  private void request(
      ParsedFrame in, int i, Scratch scratch, @Nullable BatchReply batch, int slot) {
    RpcMethod method = method(in, i);
    if (method == null) {
      error(in, i, batch, slot, serving.noMethod());
      return;
    }
    if (closing) {
      error(in, i, batch, slot, options().dialect().busy("closing", 0));
      return;
    }
    LimitException refusal = run(in, i, scratch, method, batch, slot);
    if (refusal != null) {
      error(in, i, batch, slot, busy(refusal));
    }
  }

  RpcError busy(LimitException refusal) {
    return options().dialect().busy(refusal.limit(), refusal.max());
  }

  private void notification(ParsedFrame in, int i, Scratch scratch, @Nullable BatchReply batch) {
    RpcMethod method = method(in, i);
    LimitException refusal = method == null ? null : run(in, i, scratch, method, batch, 0);
    if (refusal == null) {
      return;
    }
    if (peer == null) {
      refuse(busy(refusal), "a notification: " + refusal.getMessage());
    } else {
      peer.abort(refusal); // later messages may depend on this one
    }
  }

  private @Nullable RpcMethod method(ParsedFrame in, int i) {
    return in.methodEscaped(i)
        ? serving.service().find(in.methodName(i))
        : serving.service().find(in.bytes(), in.methodFrom(i), in.methodTo(i));
  }

  /**
   * Runs the message inline if possible, otherwise queues it; returns the limit it exceeds, or
   * null.
   */
  private @Nullable LimitException run(
      ParsedFrame in,
      int i,
      Scratch scratch,
      RpcMethod method,
      @Nullable BatchReply batch,
      int slot) {
    boolean notification = in.kind(i) == ParsedFrame.NOTIFICATION;
    boolean inline =
        method.isImmediate() || method.lane(notification) == Lane.INLINE && lanes.isClear();
    if (!inline) {
      LimitException refusal = batch == null ? refusalOfLarge(in, i) : null;
      return refusal != null
          ? refusal
          : lanes.admit(Exchange.own(this, in, i, method, batch, slot));
    }
    if (serving.isSeen(method)) {
      Exchange x = Exchange.own(this, in, i, method, batch, slot);
      LimitException refusal = lanes.admitInline(x);
      if (refusal == null) {
        x.serve();
        if (!x.isStaged()) {
          lanes.finishedStage(x);
        }
      }
      return refusal;
    }
    Exchange x = scratch.exchange;
    x.borrow(this, in, i, method, batch, slot);
    x.serve();
    x.giveBack();
    return null;
  }

  /**
   * Returns the memory limit that a large message exceeds, or null, before the message is copied.
   */
  private @Nullable LimitException refusalOfLarge(ParsedFrame in, int i) {
    int params = in.paramsTo(i) - in.paramsFrom(i);
    return params < FREE_ALONE ? null : lanes.refusal(params);
  }

  // ---------------------------------------------------------------- answers of our own

  /**
   * Reports input that is not a message to the listener, and answers it unless this is a pure
   * client.
   */
  void refuse(RpcError error, String reason) {
    violation(reason);
    if (answersFaults()) {
      error(error);
    }
  }

  private boolean answersFaults() {
    return peer == null || peer.answersFaults();
  }

  /** Sends an error with id null. */
  void error(RpcError error) {
    OutboundFrame out = errorFrame(false, NO_BYTES, 0, 0, null, error);
    if (out != null) {
      commit(out);
    }
  }

  /** Starts a frame, or the text of an element of a batch reply. */
  OutboundFrame open(boolean inBatch) {
    return inBatch ? new OutboundFrame(options().limits().frameBytes()) : outlet.open();
  }

  /** Drops a frame that was started; null is ignored. Throws nothing. */
  void discard(@Nullable OutboundFrame out, boolean inBatch) {
    if (out != null && !inBatch) {
      try {
        outlet.discard(out);
      } catch (Throwable e) {
        // The error written in its place shows whether the outlet still works.
      }
    }
  }

  /**
   * Returns a frame with this error, or with an internal error if this one cannot be written.
   * Returns null if neither can be written; then the connection has been ended.
   */
  @Nullable OutboundFrame errorFrame(
      boolean inBatch,
      byte[] bytes,
      int idFrom,
      int idTo,
      @Nullable String method,
      RpcError error) {
    try {
      return newErrorFrame(inBatch, bytes, idFrom, idTo, method, error);
    } catch (Throwable e) {
      // The error may need more memory than is left. An internal error is small.
    }
    try {
      return newErrorFrame(inBatch, bytes, idFrom, idTo, method, RpcError.INTERNAL);
    } catch (Throwable e) {
      abort(e);
      return null;
    }
  }

  private OutboundFrame newErrorFrame(
      boolean inBatch,
      byte[] bytes,
      int idFrom,
      int idTo,
      @Nullable String method,
      RpcError error) {
    OutboundFrame out = open(inBatch);
    try {
      write(out, bytes, idFrom, idTo, method, error);
      return out;
    } catch (Throwable e) {
      discard(out, inBatch);
      throw e;
    }
  }

  /** Writes an error. If it is too large for a frame, writes an error that reports this instead. */
  private void write(
      OutboundFrame out,
      byte[] bytes,
      int idFrom,
      int idTo,
      @Nullable String method,
      RpcError error) {
    int start = out.size();
    out.error(error.code());
    try {
      codec.error(out, bytes, idFrom, idTo, method, error);
    } catch (LimitException e) {
      RpcError tooLarge = tooLarge(e);
      out.error(tooLarge.code());
      out.truncate(start);
      out.unlimited(); // the id may be large, but was part of a frame before
      codec.error(out, bytes, idFrom, idTo, method, tooLarge);
    }
  }

  static RpcError tooLarge(LimitException e) {
    return RpcError.limit(
        RpcError.TOO_LARGE, "Response too large; ask for less", e.limit(), e.max());
  }

  private void error(ParsedFrame in, int i, @Nullable BatchReply batch, int slot, RpcError error) {
    String method = in.kind(i) == ParsedFrame.REQUEST ? in.methodName(i) : null;
    // The id of a response is that of a call of this side, not of a request: answer with id null.
    int idTo = in.kind(i) == ParsedFrame.RESPONSE ? in.idFrom(i) : in.idTo(i);
    OutboundFrame out = errorFrame(batch != null, in.bytes(), in.idFrom(i), idTo, method, error);
    if (out == null) {
      return;
    }
    if (batch == null) {
      commit(out);
    } else {
      batch.put(slot, out.toBytes());
    }
  }

  /** Sends a notification. */
  void tell(String method, Json params) {
    OutboundFrame out = outlet.open().initiate();
    try {
      codec.beginCall(out, Codec.NO_ID, method, true);
      codec.endCall(out.json(params), Codec.NO_ID);
    } catch (RuntimeException | Error e) {
      outlet.discard(out);
      throw e;
    }
    commit(out);
  }

  /** Sends a frame at once; see {@link #commit(OutboundFrame, boolean)}. */
  void commit(OutboundFrame out) {
    commit(out, false);
  }

  /**
   * Sends a frame at once or, if {@code gather} is true, with the next flush of the outlet. Throws
   * nothing. If the peer has disconnected, the frame is dropped. After any other failure the frame
   * may or may not have been sent, so the connection ends.
   */
  void commit(OutboundFrame out, boolean gather) {
    try {
      if (gather) {
        outlet.gather(out);
      } else {
        outlet.commit(out);
      }
    } catch (DisconnectedException e) {
      // The channel reports its end itself.
    } catch (Throwable e) {
      abort(e);
    }
  }

  /** Ends the connection, because a request cannot be answered. Throws nothing. */
  void abort(Throwable cause) {
    try {
      outlet.abort(cause);
    } catch (Throwable e) {
      // The outlet cannot even end the connection; nothing else can be done.
    }
  }

  /** Reports to the listener that the peer broke the protocol. */
  void violation(String what) {
    UserCode.run(() -> options().listener().violation(channel(), what));
  }

  void closing() {
    closing = true;
  }

  ServerContext serving() {
    return serving;
  }

  Options options() {
    return serving.options();
  }

  Codec codec() {
    return codec;
  }

  /** Returns the initial attributes of the calls in the frame that is being served. */
  Attributes attributes() {
    return outlet instanceof Channel connection ? connection.attributes() : attributes;
  }

  FrameSink outlet() {
    return outlet;
  }

  Scheduler lanes() {
    return lanes;
  }

  @Nullable Peer peer() {
    return peer;
  }

  ChannelInfo channel() {
    return peer == null ? channel : peer.channel();
  }
}

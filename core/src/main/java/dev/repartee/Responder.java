package dev.repartee;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The serving half: frame in, reply frame or nothing out.
 *
 * <p>Inside a {@link Peer} it serves one connection. On its own it needs no connection at all, which
 * is what request-and-answer transports want: {@link OneWay#respond} for each frame. There a handler
 * cannot call back; {@link Call#peer()} says so. Thread-safe.
 */
public final class Responder {
  /** What a connection may have in flight before that counts as held. */
  private static final int FREE = Loop.BUFFER;

  /** The same of a frame that comes alone: many of those may come over one connection. */
  private static final int FREE_ALONE = 16 << 10;

  private static final byte[] NO_BYTES = {};

  private final Serving serving;
  private final Codec codec;
  private final Outlet outlet;
  private final ChannelInfo channel;
  private final @Nullable Peer peer;
  private final Map<String, Object> attributes;
  private final Lanes lanes;
  private volatile boolean closing;

  /** One half of a peer. */
  Responder(Serving serving, Channel channel, Peer peer) {
    this(serving, channel, channel.info(), peer, Map.of(), Threads.CALLS, channel::resume);
  }

  Responder(
      Serving serving,
      Outlet outlet,
      ChannelInfo channel,
      @Nullable Peer peer,
      Map<String, Object> attributes,
      Executor workers,
      Runnable resume) {
    this.serving = serving;
    this.codec = serving.options().dialect().codec();
    this.outlet = outlet;
    this.channel = channel;
    this.peer = peer;
    this.attributes = attributes;
    int free = peer == null ? FREE_ALONE : FREE;
    this.lanes = new Lanes(serving.options().limits(), free, workers, outlet, resume);
  }

  /** Serves frames that come without a connection, in the name of that channel. */
  public static OneWay of(Service service, Options options, ChannelInfo channel) {
    return new OneWay(new Serving(service, options), channel, Map.of());
  }

  /**
   * Serves single frames, each for itself: no order is kept between them. The size of a frame, and how
   * many are served at once, are for the transport to bound. Immutable and thread-safe.
   */
  public static final class OneWay {
    /**
     * What the handlers on this worker belong to. There are no lanes of a connection to ask, as each
     * frame has its own.
     */
    private static final ThreadLocal<@Nullable Serving> RUNNING = new ThreadLocal<>();

    private final Serving serving;
    private final ChannelInfo channel;
    private final Map<String, Object> attributes;
    private final Executor workers;

    OneWay(Serving serving, ChannelInfo channel, Map<String, Object> attributes) {
      this(serving, channel, attributes, task -> Threads.CALLS.execute(() -> run(serving, task)));
    }

    private OneWay(
        Serving serving, ChannelInfo channel, Map<String, Object> attributes, Executor workers) {
      this.serving = serving;
      this.channel = channel;
      this.attributes = attributes;
      this.workers = workers;
    }

    private static void run(Serving serving, Runnable task) {
      RUNNING.set(serving);
      try {
        task.run();
      } finally {
        RUNNING.remove();
      }
    }

    /** Whether the calling thread is a worker that runs a frame of any of these. */
    static boolean anyRunsHere() {
      return RUNNING.get() != null;
    }

    /** Whether the calling thread is a worker that runs a frame of this one. */
    boolean runsHere() {
      return RUNNING.get() == serving;
    }

    /**
     * The same for frames of that channel, whose calls begin with these {@link Call#attributes()}:
     * what the transport knows of who asks.
     */
    public OneWay of(ChannelInfo channel, Map<String, Object> attributes) {
      return new OneWay(serving, channel, Map.copyOf(attributes), workers);
    }

    /** The options it serves under. */
    public Options options() {
      return serving.options();
    }

    /**
     * Serves a frame. What is to be said goes to {@code replies}: the reply, if there is one, as the
     * last, and where that outlet {@linkplain Outlet#streams() streams}, progress before it.
     * Inline methods run before this returns, the others may not have begun then.
     */
    public Exchanged serve(byte[] frame, int from, int to, Outlet replies) {
      Responder responder =
          new Responder(serving, replies, channel, null, attributes, workers, () -> {});
      responder.accept(frame, from, to);
      if (!serving.options().limits().handlerTimeout().isZero()) {
        responder.lanes.whenIdle(responder.lanes::rest);
      }
      return new Exchanged(responder.lanes);
    }

    /** Serves a frame; completes with the reply, or with null where nothing is to be answered. */
    public CompletionStage<byte @Nullable []> respondAsync(byte[] frame) {
      Single single = new Single(serving.options().limits());
      serve(frame, 0, frame.length, single).whenDone(single::nothing);
      return single.reply;
    }

    /** Serves a frame and waits for the reply: null where nothing is to be answered. */
    public byte @Nullable [] respond(byte[] frame) throws InterruptedException {
      try {
        return respondAsync(frame).toCompletableFuture().get();
      } catch (ExecutionException e) {
        throw new CompletionException(e.getCause());
      }
    }
  }

  /** A frame that is being served. Thread-safe. */
  public static final class Exchanged {
    private final Lanes lanes;

    Exchanged(Lanes lanes) {
      this.lanes = lanes;
    }

    /**
     * Runs that once nothing of the frame runs any more and everything was said, now if that is so;
     * the thread is that which finished last, so the action must not block.
     */
    public void whenDone(Runnable action) {
      lanes.whenIdle(action);
    }

    /**
     * The call of that id is not wanted any more, as if the {@linkplain Dialect#cancelMethod message}
     * that says so had come; nothing if there is none.
     */
    public void cancel(Id id) {
      lanes.cancel(id);
    }

    /** Whoever asked is gone: cancels what still runs; nothing more is said. */
    public void abandon() {
      lanes.abandon();
    }
  }

  /** An outlet for one reply. */
  private static final class Single implements Outlet {
    final CompletableFuture<byte @Nullable []> reply = new CompletableFuture<>();
    private final Limits limits;

    Single(Limits limits) {
      this.limits = limits;
    }

    @Override
    public Output open() {
      return new Output().limit(limits.frameBytes());
    }

    @Override
    public void commit(Output frame) {
      reply.complete(frame.toBytes());
    }

    @Override
    public void discard(Output frame) {}

    @Override
    public void breakOff(Throwable cause) {
      reply.completeExceptionally(cause);
    }

    void nothing() {
      reply.complete(null);
    }
  }

  // ---------------------------------------------------------------- one frame

  /**
   * Serves a frame; answers whether it was JSON. A frame that cannot be served, for lack of memory most
   * of all, may hold requests that nobody would answer, so it ends the connection.
   */
  boolean accept(byte[] b, int from, int to) {
    try {
      return serve(b, from, to);
    } catch (Throwable e) {
      breakOff(e);
      if (peer == null) {
        lanes.abandon(); // what runs of it would be said to nobody
      }
      return true;
    }
  }

  private boolean serve(byte[] b, int from, int to) {
    Scratch scratch = Scratch.take();
    lanes.beginFrame(); // before "closing" is looked at: what is not refused is answered
    try {
      Inbound in = scratch.inbound(options());
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

  /** What stands at a fault, for a pure client: what its server says there explains it. */
  private String near(byte[] b, int at, int to) {
    return answersFaults() || at >= to ? "" : ", near " + Bytes.excerpt(b, at, to);
  }

  private void batch(Inbound in, Scratch scratch) {
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

  private boolean isOwed(Inbound in, int i) {
    return switch (in.kind(i)) {
      case Inbound.REQUEST -> true;
      case Inbound.INVALID -> answersFaults();
      case Inbound.RESPONSE -> peer == null;
      default -> false;
    };
  }

  private void dispatch(Inbound in, int i, Scratch scratch, @Nullable BatchReply batch, int slot) {
    switch (in.kind(i)) {
      case Inbound.REQUEST -> request(in, i, scratch, batch, slot);
      case Inbound.NOTIFICATION -> notification(in, i, scratch, batch);
      default -> {
        if (in.kind(i) == Inbound.RESPONSE && peer != null) {
          peer.caller().accept(in, i);
        } else {
          String what = in.kind(i) == Inbound.RESPONSE
              ? "the message is a response, but nothing was called here"
              : Flaw.of(in, i);
          violation("not a valid message, " + what);
          if (answersFaults()) {
            error(in, i, batch, slot, RpcError.notARequest(what));
          }
        }
      }
    }
    ReaderThread.clearInterrupt(); // an inline handler, or a callback of an answer, may have set it
  }

  private void request(Inbound in, int i, Scratch scratch, @Nullable BatchReply batch, int slot) {
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

  private void notification(Inbound in, int i, Scratch scratch, @Nullable BatchReply batch) {
    RpcMethod method = method(in, i);
    LimitException refusal = method == null ? null : run(in, i, scratch, method, batch, 0);
    if (refusal == null) {
      return;
    }
    if (peer == null) {
      refuse(busy(refusal), "a notification: " + refusal.getMessage());
    } else {
      peer.cutOff(refusal); // what follows may rest on it
    }
  }

  private @Nullable RpcMethod method(Inbound in, int i) {
    return in.methodEscaped(i)
        ? serving.service().find(in.methodName(i))
        : serving.service().find(in.bytes(), in.methodFrom(i), in.methodTo(i));
  }

  /** Runs the message here and now if it may, else hands it to a lane; answers a refusal. */
  private @Nullable LimitException run(
      Inbound in, int i, Scratch scratch, RpcMethod method, @Nullable BatchReply batch, int slot) {
    boolean notification = in.kind(i) == Inbound.NOTIFICATION;
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

  /** A large message is not even copied where there is no room for it. */
  private @Nullable LimitException refusalOfLarge(Inbound in, int i) {
    int params = in.paramsTo(i) - in.paramsFrom(i);
    return params < FREE_ALONE ? null : lanes.refusal(params);
  }

  // ---------------------------------------------------------------- answers of our own

  /** Answers input that no message could be made of. */
  void refuse(RpcError error, String reason) {
    violation(reason);
    if (answersFaults()) {
      error(error);
    }
  }

  private boolean answersFaults() {
    return peer == null || peer.answersFaults();
  }

  /** Sends an error that belongs to no id. */
  void error(RpcError error) {
    Output out = errorFrame(false, NO_BYTES, 0, 0, null, error);
    if (out != null) {
      commit(out);
    }
  }

  /** Starts a frame, or one that goes into a batch. */
  Output open(boolean inBatch) {
    return inBatch ? new Output().limit(options().limits().frameBytes()) : outlet.open();
  }

  /** Forgets a frame that was started, if one was. */
  void discard(@Nullable Output out, boolean inBatch) {
    if (out != null && !inBatch) {
      try {
        outlet.discard(out);
      } catch (Throwable e) {
        // The error written in its place shows whether the outlet still works.
      }
    }
  }

  /**
   * A frame with an error that has to be answered, or with an internal error where that cannot be
   * written. Null if not even that can, which has ended the connection.
   */
  @Nullable Output errorFrame(
      boolean inBatch,
      byte[] bytes,
      int idFrom,
      int idTo,
      @Nullable String method,
      RpcError error) {
    try {
      return newErrorFrame(inBatch, bytes, idFrom, idTo, method, error);
    } catch (Throwable e) {
      // The error may be larger than the memory that is left; this one is small.
    }
    try {
      return newErrorFrame(inBatch, bytes, idFrom, idTo, method, RpcError.INTERNAL);
    } catch (Throwable e) {
      breakOff(e);
      return null;
    }
  }

  private Output newErrorFrame(
      boolean inBatch,
      byte[] bytes,
      int idFrom,
      int idTo,
      @Nullable String method,
      RpcError error) {
    Output out = open(inBatch);
    try {
      write(out, bytes, idFrom, idTo, method, error);
      return out;
    } catch (Throwable e) {
      discard(out, inBatch);
      throw e;
    }
  }

  /** Writes an error; one too large for a frame gives way to one that says so, with any id. */
  private void write(
      Output out, byte[] bytes, int idFrom, int idTo, @Nullable String method, RpcError error) {
    int start = out.size();
    out.error = error;
    try {
      codec.error(out, bytes, idFrom, idTo, method, error);
    } catch (LimitException e) {
      out.error = tooLarge(e);
      out.truncate(start);
      out.limit(Output.NO_LIMIT); // the id fitted into a frame before
      codec.error(out, bytes, idFrom, idTo, method, out.error);
    }
  }

  static RpcError tooLarge(LimitException e) {
    return RpcError.limit(
        RpcError.TOO_LARGE, "Response too large; ask for less", e.limit(), e.max());
  }

  private void error(Inbound in, int i, @Nullable BatchReply batch, int slot, RpcError error) {
    String method = in.kind(i) == Inbound.REQUEST ? in.methodName(i) : null;
    // The id of a response is one of our calls', not of a request that could be answered.
    int idTo = in.kind(i) == Inbound.RESPONSE ? in.idFrom(i) : in.idTo(i);
    Output out = errorFrame(batch != null, in.bytes(), in.idFrom(i), idTo, method, error);
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
    Output out = outlet.open();
    out.initiated = true;
    try {
      codec.beginCall(out, Codec.NO_ID, method, true);
      codec.endCall(out.json(params), Codec.NO_ID);
    } catch (RuntimeException | Error e) {
      outlet.discard(out);
      throw e;
    }
    commit(out);
  }

  /** Sends a frame; a peer that is gone needs none. Throws nothing. */
  void commit(Output out) {
    commit(out, false);
  }

  /**
   * Sends a frame, now or, if it may be gathered with others, when the outlet is flushed. Throws nothing:
   * where that fails nobody knows whether the frame will leave, so that the connection has to end.
   */
  void commit(Output out, boolean gather) {
    try {
      if (gather) {
        outlet.gather(out);
      } else {
        outlet.commit(out);
      }
    } catch (DisconnectedException e) {
      // The channel reports its own end.
    } catch (Throwable e) {
      breakOff(e);
    }
  }

  /** Something that has to be answered cannot be: ends the connection. Throws nothing. */
  void breakOff(Throwable cause) {
    try {
      outlet.breakOff(cause);
    } catch (Throwable e) {
      // There is nothing left that could be tried.
    }
  }

  private void violation(String what) {
    Foreign.run(() -> options().listener().violation(channel(), what));
  }

  void closing() {
    closing = true;
  }

  Serving serving() {
    return serving;
  }

  Options options() {
    return serving.options();
  }

  Codec codec() {
    return codec;
  }

  /** Returns what the calls of the frame that is being read begin with as their attributes. */
  Map<String, Object> attributes() {
    return outlet instanceof Channel connection ? connection.attributes() : attributes;
  }

  Outlet outlet() {
    return outlet;
  }

  Lanes lanes() {
    return lanes;
  }

  @Nullable Peer peer() {
    return peer;
  }

  ChannelInfo channel() {
    return peer == null ? channel : peer.channel();
  }
}

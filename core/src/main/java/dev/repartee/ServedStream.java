package dev.repartee;

import dev.repartee.internal.Clock;
import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.message.Codec;
import dev.repartee.message.JsonRpc;
import dev.repartee.message.RpcError;
import dev.repartee.stream.LaggedException;
import dev.repartee.stream.Streaming;
import dev.repartee.stream.flow.Outflow;
import dev.repartee.stream.flow.Publishers;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import java.util.Queue;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * A stream that this side serves, on the wire: the items of an {@link Outflow} become
 * notifications. The subclasses are the forms of a stream, see {@link Streaming.Form}.
 */
abstract class ServedStream implements Outflow.Wire {
  /** The type of the answer that ends a stream. */
  private static final ResultType RESULT = ResultType.any(JsonTypes.standard());

  /** The size in bytes at which no further item is added to a frame. */
  private static final int FRAME = 32 << 10;

  /** The call that the stream answers. */
  final OwnedExchange call;

  final Outflow outflow;
  private final Runnable wake;
  private final String notification;
  private final byte[] before;
  private final byte[] after;
  private final boolean several;

  /**
   * @param notification the method of the notifications that carry the items
   * @param before the text of their params before the items
   * @param after the text of their params after the items
   * @param several whether one frame carries several items
   */
  ServedStream(
      OwnedExchange call, String notification, JsonWriter before, String after, boolean several) {
    this.call = call;
    this.notification = notification;
    this.before = before.toBytes();
    this.after = new JsonWriter(2).ascii(after).toBytes();
    this.several = several;
    this.outflow = new Outflow(streaming(call), this, call.connection().workers());
    this.wake = outflow::signal;
  }

  /**
   * Opens the stream that a handler has returned; the stream answers and finishes the call.
   *
   * @throws IllegalArgumentException if the value is not a stream
   * @throws RpcException if the stream cannot be carried here
   */
  static void open(OwnedExchange call, @Nullable Object value) {
    if (call.isNotification()) {
      Publishers.discard(value); // a notification has no answer: the items have no receiver
      return;
    }
    try {
      if (!call.connection().options().dialect().isJsonRpc2()) {
        throw new RpcException(Errors.streamNeedsJsonRpc2(call.method().name()));
      }
      Flow.Publisher<?> publisher = Publishers.of(value, call.connection().workers());
      ServedStream stream = switch (streaming(call).form()) {
        case CALL -> new OfCall(call);
        case SUBSCRIPTION -> new OfSubscription(call, streaming(call), Subscriptions.newId());
        case PARTIAL_RESULTS -> partialResults(call);
      };
      if (stream.begin()) {
        stream.outflow.open(publisher);
      } else {
        Publishers.discard(value);
      }
    } catch (Throwable e) {
      Publishers.discard(value);
      throw e;
    }
  }

  private static Streaming streaming(OwnedExchange call) {
    Streaming declared = call.method().streaming();
    return declared == null ? Streaming.DEFAULT : declared;
  }

  private static ServedStream partialResults(OwnedExchange call) {
    Json params = call.params();
    boolean pushes = call.connection().sink().streams();
    Json token = pushes && params != null ? params.get(ReceivedStream.TOKEN) : null;
    return token != null && (token.kind() == Json.Kind.STRING || token.kind() == Json.Kind.NUMBER)
        ? new Partial(call, token)
        : new Collected(call);
  }

  /** Begins the stream; returns whether it is wanted. */
  abstract boolean begin();

  /** Returns the error for a stream without credit at the deadline. */
  static RpcError noCredit(String method) {
    return new RpcError(
        RpcError.INVALID_REQUEST,
        "Invalid Request",
        Json.of("the result of '" + method + "' is a stream of items, and no credit was granted:"
            + " send " + ReceivedStream.CREDIT + " {\"id\":...,\"n\":...}; in Java declare"
            + " RemoteStream<T> as the result type"));
  }

  @Override
  public boolean hasRoom() {
    try {
      return call.connection().hasRoom(wake);
    } catch (DisconnectedException e) { // the caller has gone, and the method has not failed
      outflow.stop(new RpcException(OwnedExchange.CANCELLED));
      return false;
    }
  }

  /** Stops waiting for room. */
  final void leave() {
    call.connection().forget(wake);
  }

  @Override
  public void send(Queue<Object> items) {
    OutboundFrame out = sink().open().initiate();
    try {
      codec().beginCall(out, Codec.NO_ID, notification, true);
      write(out.raw(before), items, FRAME);
      out.unlimited(); // the rest is short
      codec().endCall(out.raw(after), Codec.NO_ID);
    } catch (Throwable e) {
      sink().discard(out);
      throw e;
    }
    commit(out);
  }

  /**
   * Writes the first items, separated by commas, and removes them.
   *
   * @param enough the number of bytes after which no further item is written
   */
  final void write(JsonWriter out, Queue<Object> items, int enough) {
    int start = out.size();
    for (Object item = items.peek(); item != null; item = items.peek()) {
      int mark = out.size();
      try {
        if (mark > start) {
          out.put(',');
        }
        call.method().resultType().write(out, item);
      } catch (Throwable e) {
        if (mark == start) {
          throw e;
        }
        out.truncate(mark); // the items before it leave now, and this one fails alone
        return;
      }
      items.remove();
      if (!several || out.size() - start >= enough) {
        return;
      }
    }
  }

  final String notification() {
    return notification;
  }

  final FrameSink sink() {
    return call.connection().sink();
  }

  final Codec codec() {
    return call.connection().codec();
  }

  final Limits limits() {
    return call.connection().options().limits();
  }

  /** Returns whether the caller can send messages that refer to this call. */
  final boolean isDuplex() {
    return call.connection().peer() != null;
  }

  /** Sends a frame with items. */
  abstract void commit(OutboundFrame out);

  /**
   * Returns the failure to answer with: an exceeded limit or a full buffer becomes an {@link
   * RpcException}.
   */
  final Throwable answerable(Throwable failure) {
    if (failure instanceof LaggedException lagged) {
      return new RpcException(RpcError.limit(
          RpcError.LAGGED, "Too slow; the stream was closed", "buffer", lagged.buffer()));
    }
    return failure instanceof LimitException limit
        ? new RpcException(ResponseWriter.tooLarge(limit))
        : failure;
  }

  /** A call that stays open until the stream ends. */
  private abstract static class OpenCall extends ServedStream {
    OpenCall(OwnedExchange x, String notification, JsonWriter before, String after) {
      super(x, notification, before, after, true);
    }

    @Override
    boolean begin() {
      boolean wanted = call.begin(this, Clock.NEVER);
      outflow.grant(Long.MAX_VALUE);
      return wanted;
    }

    @Override
    void commit(OutboundFrame out) {
      call.commitUnanswered(out);
    }

    @Override
    public final void end(@Nullable Throwable failure, long sent) {
      leave();
      try {
        if (failure == null) {
          answer(sent);
        } else {
          call.fail(answerable(failure));
        }
      } catch (Throwable e) { // there was no memory for the answer
        call.fail(e);
      }
      ended();
      call.finish();
    }

    abstract void answer(long sent);

    /** Releases the memory of the stream. */
    void ended() {}
  }

  /** Our own form: the caller grants credit, except over HTTP. */
  private static final class OfCall extends OpenCall {
    OfCall(OwnedExchange x) {
      super(
          x,
          ReceivedStream.ITEMS,
          new JsonWriter().ascii("{\"id\":").json(x.id().json()).ascii(",\"items\":["),
          "]}");
    }

    @Override
    boolean begin() {
      if (!sink().streams()) {
        throw new RpcException(new RpcError(
            RpcError.INVALID_REQUEST,
            "Invalid Request",
            Json.of(
                "the result of '" + call.method().name() + "' is a stream of items: over HTTP the"
                    + " request has to accept text/event-stream")));
      }
      return isDuplex()
          ? call.begin(this, call.connection().options().clock().after(limits().drainTimeout()))
          : super.begin();
    }

    @Override
    void answer(long sent) {
      call.result(RESULT, Json.of(sent));
    }
  }

  /** The partial results of LSP. */
  private static final class Partial extends OpenCall {
    Partial(OwnedExchange x, Json token) {
      super(
          x,
          ReceivedStream.PROGRESS,
          new JsonWriter().ascii("{\"token\":").json(token).ascii(",\"value\":["),
          "]}");
    }

    @Override
    void answer(long sent) {
      call.result(RESULT, Json.EMPTY_ARRAY);
    }
  }

  /** The results of LSP for a client that wants no partial results: collected in the answer. */
  private static final class Collected extends OpenCall {
    /** The bytes that are not charged to the memory budget. */
    private static final int FREE = 16 << 10;

    // Of the thread that has the turn of the outflow.
    private final JsonWriter all = new JsonWriter();
    private final MemoryBudget.Share share = MemoryBudget.ofAnswers().share(FREE);

    Collected(OwnedExchange x) {
      super(x, "", new JsonWriter(0), "");
      all.put('[').limit(limits().frameBytes());
    }

    @Override
    public boolean hasRoom() {
      return true;
    }

    @Override
    public void send(Queue<Object> items) {
      if (all.size() > 1) {
        all.put(',');
      }
      write(all, items, FRAME);
      if (!share.hold(all.array().length)) {
        throw share.refusal();
      }
    }

    @Override
    void answer(long sent) {
      all.unlimited(); // the limit of the frame applies to the answer
      call.result(RESULT, UnsafeJson.wrap(all.put(']').toBytes()));
    }

    @Override
    void ended() {
      share.hold(0);
    }
  }

  /** A subscription: it lives on after its call was answered with the id. */
  private static final class OfSubscription extends ServedStream {
    private final String id;
    private final String unsubscribe;

    OfSubscription(OwnedExchange x, Streaming streaming, String id) {
      super(
          x,
          streaming.notification(),
          new JsonWriter().ascii("{\"subscription\":").string(id).ascii(",\"result\":"),
          "}",
          false);
      this.id = id;
      this.unsubscribe = streaming.unsubscribe();
    }

    @Override
    boolean begin() {
      if (!isDuplex() || call.isInBatch()) {
        throw new RpcException(new RpcError(
            RpcError.METHOD_NOT_FOUND,
            "Subscriptions not supported",
            Json.of(
                call.isInBatch()
                    ? "a subscription cannot be opened in a batch: call '"
                        + call.method().name() + "' in a separate request"
                    : "a subscription needs a connection that carries notifications, such as a"
                        + " WebSocket")));
      }
      Subscriptions all = call.connection().subscriptions();
      LimitException refusal = all.add(id, unsubscribe, outflow, call.node.size());
      if (refusal != null) {
        throw new RpcException(call.connection().busy(refusal));
      }
      if (!call.result(RESULT, Json.of(id))) {
        all.end(unsubscribe, id);
        return false;
      }
      outflow.grant(Long.MAX_VALUE); // the answer was committed: the items follow it
      return true;
    }

    @Override
    void commit(OutboundFrame out) {
      call.connection().commit(out, false);
    }

    /** Reports the end, unless the client has ended the subscription or the connection is gone. */
    @Override
    public void end(@Nullable Throwable failure, long sent) {
      leave();
      if (!call.connection().subscriptions().remove(id)) {
        return;
      }
      RpcError error = failure == null
          ? ReceivedStream.COMPLETE
          : call.errorFor(UserCode.cause(answerable(failure)));
      UserCode.run(() -> {
        OutboundFrame out = sink().open().initiate();
        out.unlimited(); // an error is short
        codec().beginCall(out, Codec.NO_ID, notification(), true);
        out.ascii("{\"subscription\":").string(id).ascii(",\"error\":");
        JsonRpc.writeError(out, error);
        codec().endCall(out.put('}'), Codec.NO_ID);
        call.connection().commit(out, false);
      });
    }
  }
}

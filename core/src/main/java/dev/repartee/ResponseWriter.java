package dev.repartee;

import dev.repartee.limits.LimitException;
import dev.repartee.message.Codec;
import dev.repartee.message.ParsedFrame;
import dev.repartee.message.RpcError;
import dev.repartee.transport.OutboundFrame;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes the response to one message, and sends it or stores it in the reply of a batch. Does not
 * decide whether to answer; that is the job of the {@link Exchange}.
 *
 * <p>A superclass of the exchange, not a part of it: a field cost 10 ns more for an inline call of
 * 140 ns, and another object for each queued call.
 */
class ResponseWriter {
  static final byte[] NO_BYTES = {};

  /** The buffer with the literal of the id and, in an exchange, with the params. */
  byte[] bytes = NO_BYTES;

  int idFrom;

  /** The end of the id; equal to {@link #idFrom} if the response has the id null or is not due. */
  int idTo;

  /** The worker that gathers its responses until it flushes them; null to send each immediately. */
  @Nullable Thread worker;

  private @Nullable Connection connection;
  private @Nullable String method;
  private @Nullable BatchReply batch;
  private int slot;

  /** Returns a writer of a response with the id null, in a separate frame. */
  static ResponseWriter withoutId(Connection connection) {
    ResponseWriter response = new ResponseWriter();
    response.connection = connection;
    return response;
  }

  /**
   * Points this object at a message.
   *
   * @param method the name of the called method; null if the message names none
   */
  final void answerTo(Connection connection, Element element, @Nullable String method) {
    this.connection = connection;
    this.method = method;
    this.batch = element.batch;
    this.slot = element.slot;
    // A response has the id of a call of this side; an answer to it must not repeat that id.
    int kind = element.kind();
    boolean repeatsId = kind == ParsedFrame.REQUEST || kind == ParsedFrame.INVALID;
    bytes = element.bytes();
    idFrom = element.idFrom();
    idTo = repeatsId ? element.idTo() : idFrom;
  }

  /** Releases the buffer, the connection and the batch. */
  void release() {
    bytes = NO_BYTES;
    connection = null;
    batch = null;
  }

  final Connection connection() {
    return Objects.requireNonNull(connection);
  }

  final boolean hasId() {
    return idFrom != idTo;
  }

  final boolean isInBatch() {
    return batch != null;
  }

  // ---------------------------------------------------------------- a result

  /** Starts a frame, or the text of an element of a batch. */
  final OutboundFrame open() {
    return batch == null
        ? connection().sink().open()
        : new OutboundFrame(connection().options().limits().frameBytes());
  }

  /** Writes the part of the response before its result. */
  final void beginResult(OutboundFrame out) {
    connection().codec().beginResult(out, bytes, idFrom, idTo, Objects.requireNonNull(method));
  }

  /** Writes the part after the result, and sends the response. Throws only before it is sent. */
  final void endResult(OutboundFrame out) {
    out.unlimited(); // only the id follows, and it fitted into the request's frame
    connection().codec().endResult(out, bytes, idFrom, idTo);
    send(out);
  }

  /** Drops a frame that was started; null is ignored. Throws nothing. */
  final void discard(@Nullable OutboundFrame out) {
    if (out != null && batch == null) {
      connection().discard(out);
    }
  }

  // ---------------------------------------------------------------- an error, or nothing

  /** Sends this error. If it cannot be written or sent, the connection ends. Throws nothing. */
  final void writeError(RpcError error) {
    connection().scheduler().calls().failed();
    try {
      send(write(error));
    } catch (Throwable e) {
      connection().abort(e);
    }
  }

  /** Sends no response. The reply of a batch does not wait for it any longer. Throws nothing. */
  final void writeNothing() {
    if (batch != null) {
      batch.put(slot, null);
    }
  }

  private OutboundFrame write(RpcError error) {
    OutboundFrame out = open();
    try {
      write(out, error);
      return out;
    } catch (Throwable e) {
      discard(out);
      throw e;
    }
  }

  /** Writes an error. If it is too large for a frame, writes an error that reports this instead. */
  private void write(OutboundFrame out, RpcError error) {
    Codec codec = connection().codec();
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

  /** Returns the error that replaces a response which exceeds a limit. */
  static RpcError tooLarge(LimitException e) {
    return RpcError.limit(
        RpcError.TOO_LARGE, "Response too large; ask for less", e.limit(), e.max());
  }

  /** Returns whether the response may leave later, with others that this thread passes on. */
  boolean isPassedOn() {
    return false;
  }

  /** Counts an answer of that many bytes, which is about to be sent. */
  void count(int bytes) {
    connection().scheduler().calls().sent(bytes);
  }

  private void send(OutboundFrame out) {
    if (batch == null) {
      count(out.size() - out.textStart());
      connection().commitCounted(out, Thread.currentThread() == worker || isPassedOn());
    } else {
      batch.put(slot, out.toBytes());
    }
  }
}

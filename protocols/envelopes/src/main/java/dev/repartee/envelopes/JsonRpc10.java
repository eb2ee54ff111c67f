package dev.repartee.envelopes;

import dev.repartee.framing.Envelope;
import dev.repartee.message.Codec;
import dev.repartee.message.Dialect;
import dev.repartee.message.RpcError;
import org.jspecify.annotations.Nullable;

/**
 * JSON-RPC 1.0, the specification of 2005: {@code #envelope=jsonrpc-1.0}. Both sides may call. It
 * is never detected: an endpoint uses only this envelope.
 *
 * <ul>
 *   <li>Params are by position. A call with params by name fails with {@link
 *       IllegalArgumentException} before it is sent.
 *   <li>A response has both {@code result} and {@code error}, one of which is null. A received
 *       error may lack {@code result}, as ovsdb-server sends it. The id of a received request may be
 *       any JSON value; the id of a notification is null.
 *   <li>An error is sent as an object with {@code code}, {@code message} and {@code data};
 *       {@link JsonRpc10Text} sends only the message. A received error may be any JSON value. A
 *       string becomes the message, with the code {@link RpcError#NO_CODE}. In an object,
 *       {@code code} and {@code message} are used if they are an integer and a string. If the
 *       object has other members, it is the data of the error.
 *   <li>An invalid message is answered, and ends the connection.
 *   <li>There are no batches, no streams, no cancellation and no progress. A call that is cancelled
 *       or timed out continues at the other side. An object with {@code __jsonclass__} is plain
 *       data.
 * </ul>
 *
 * <p>Immutable and thread-safe.
 */
public final class JsonRpc10 implements Dialect, Envelope {
  private static final Codec CODEC = new JsonRpc10Codec();

  /** Creates the dialect. */
  public JsonRpc10() {}

  /** Returns {@code jsonrpc-1.0}. */
  @Override
  public String name() {
    return "jsonrpc-1.0";
  }

  @Override
  public Codec codec() {
    return CODEC;
  }

  @Override
  public @Nullable String cancelMethod() {
    return null;
  }

  @Override
  public @Nullable String progressMethod() {
    return null;
  }

  @Override
  public boolean isJsonRpc2() {
    return false;
  }

  @Override
  public boolean endsAfterInvalid() {
    return true;
  }
}

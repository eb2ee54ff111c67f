package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * Bytes to messages and back, for one envelope. {@link JsonRpc} is that of JSON-RPC 2.0; because the
 * envelope is a codec, the same engine speaks others.
 *
 * <p>Codecs are immutable and shared; the state of a decoding is the {@link Inbound}. What is written
 * goes straight into the frame: a {@code begin} and an {@code end} stand around the params or the
 * result, which the caller writes between them.
 */
public interface Codec {
  /**
   * Reads one frame, {@code frame[from, to)}: starts {@code into} over with {@link Inbound#reset}, then
   * adds a message for each that the frame holds, also for what is {@link Inbound#INVALID}. The bytes
   * are valid only until the messages were served.
   *
   * @throws JsonException if it is not JSON, or nests deeper than {@link Limits#depth}; it is answered
   *     -32700
   */
  void decode(byte[] frame, int from, int to, Inbound into);

  /** In the place of an id: a notification. */
  long NO_ID = 0;

  /**
   * Writes a request up to its params, or a notification where {@code id} is {@link #NO_ID}.
   *
   * @param structured whether params follow
   */
  void beginCall(Output out, long id, String method, boolean structured);

  /** Writes what stands behind the params. */
  void endCall(Output out, long id);

  /**
   * Writes a response up to its result; {@code bytes[from, to)} is the id's literal.
   *
   * @param method the method that was called, for envelopes that repeat it
   */
  void beginResult(Output out, byte[] bytes, int from, int to, String method);

  /** Writes what stands behind the result. */
  void endResult(Output out, byte[] bytes, int from, int to);

  /** Writes an error response; {@code bytes[from, to)} is the id's literal, empty for null. */
  void error(Output out, byte[] bytes, int from, int to, @Nullable String method, RpcError error);
}

package dev.repartee.message;

import dev.repartee.ProtocolException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonWriter;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decodes and encodes the messages of one envelope format. {@link JsonRpc} is the codec of JSON-RPC
 * 2.0; with another codec the engine speaks another envelope.
 *
 * <p>Codecs are thread-safe. The {@link ParsedFrame} holds the state of decoding. A message is
 * encoded straight into the frame: the engine calls a {@code begin} method, writes the params or
 * the result, then calls the {@code end} method. A codec without state serves all connections. If a
 * codec keeps facts about a connection, {@link Dialect#codec} returns a new one for each
 * connection.
 */
public interface Codec {
  /**
   * Decodes the frame {@code frame[from, to)}. Calls {@link ParsedFrame#reset}, then adds each
   * message of the frame to {@code into}, also a {@link ParsedFrame#INVALID} one. The bytes are
   * valid only until the messages were served.
   *
   * @throws JsonException if the frame is not JSON, or nests deeper than {@link
   *     dev.repartee.limits.Limits#depth}. The engine answers with -32700
   */
  void decode(byte[] frame, int from, int to, ParsedFrame into);

  /** The value of {@code id} for a notification. */
  long NO_ID = 0;

  /**
   * Writes the part of a request before its params.
   *
   * @param id the id of the request; {@link #NO_ID} for a notification
   * @param structured whether params follow
   */
  void beginCall(JsonWriter out, long id, String method, boolean structured);

  /**
   * Called when params were written after the part that {@link #beginCall} has written, for
   * envelopes that do not carry all params. Does nothing by default.
   *
   * @param from the index in {@link JsonWriter#array} at which the params start; they end at {@link
   *     JsonWriter#size}
   * @throws IllegalArgumentException if the envelope cannot carry these params. Nothing is sent
   */
  default void endParams(JsonWriter out, int from) {}

  /**
   * Writes an additional member of a request or notification, after its params. Does nothing by
   * default: an envelope other than JSON-RPC 2.0 may have no place for it.
   */
  default void member(JsonWriter out, String name, Json value) {}

  /** Writes the part of a request or notification after its params. */
  void endCall(JsonWriter out, long id);

  /**
   * Writes a whole request.
   *
   * @param id the id of the request; {@link #NO_ID} for a notification
   * @param params null for a request without params
   * @throws IllegalArgumentException if the envelope cannot carry these params
   */
  default void call(JsonWriter out, long id, String method, @Nullable Json params) {
    beginCall(out, id, method, params != null);
    if (params != null) {
      int from = out.size();
      endParams(out.json(params), from);
    }
    endCall(out, id);
  }

  /**
   * Writes the part of a response before its result; {@code bytes[from, to)} is the id's literal.
   *
   * @param method the method that was called, for envelopes that repeat it
   */
  void beginResult(JsonWriter out, byte[] bytes, int from, int to, String method);

  /**
   * Writes the part of a response after its result; {@code bytes[from, to)} is the id's literal.
   */
  void endResult(JsonWriter out, byte[] bytes, int from, int to);

  /**
   * Writes an error response; {@code bytes[from, to)} is the id's literal, empty for the id null.
   *
   * @param method the method that was called; null if it is unknown
   */
  void error(
      JsonWriter out, byte[] bytes, int from, int to, @Nullable String method, RpcError error);

  /**
   * Returns the error of a received response.
   *
   * @param error the text at the position that {@link #decode} has set with {@link
   *     ParsedFrame#error}
   * @throws ProtocolException if it is not a valid error. The default expects the error object of
   *     JSON-RPC 2.0 section 5.1
   */
  default RpcError readError(Json error) {
    return RpcError.received(error);
  }

  /**
   * Returns the numbering of all messages of this side, if it also provides the ids of its calls;
   * null, the default, if only the calls are numbered, from 1 on. Called once for each connection.
   * The numbers are positive and increase, and have at most 18 digits. Thread-safe.
   */
  default @Nullable LongSupplier numbering() {
    return null;
  }

  /**
   * Returns whether the other side accepts the message that cancels a call, as far as earlier
   * messages have shown. True by default.
   */
  default boolean isCancelTaken() {
    return true;
  }
}

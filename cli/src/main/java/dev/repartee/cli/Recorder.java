package dev.repartee.cli;

import dev.repartee.Codec;
import dev.repartee.Dialect;
import dev.repartee.Json;
import dev.repartee.JsonRpc;
import dev.repartee.JsonWriter;
import dev.repartee.ParsedFrame;
import dev.repartee.Response;
import dev.repartee.RpcError;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Plain JSON-RPC that keeps the last response exactly as received, including unknown members. For a
 * connection that makes one call.
 */
final class Recorder implements Dialect, Codec {
  private volatile @Nullable Json response;

  /** Returns the last response, or null if none has been received. */
  @Nullable Json response() {
    return response;
  }

  @Override
  public Codec codec() {
    return this;
  }

  @Override
  public void decode(byte[] frame, int from, int to, ParsedFrame into) {
    // Recorded before the engine decodes the frame, because decoding wakes the caller.
    byte[] text = Arrays.copyOfRange(frame, from, to);
    if (JsonRpc.read(text).stream().anyMatch(Response.class::isInstance)) {
      response = Json.parse(text);
    }
    JsonRpc.STRICT.decode(frame, from, to, into);
  }

  @Override
  public void beginCall(JsonWriter out, long id, String method, boolean structured) {
    JsonRpc.STRICT.beginCall(out, id, method, structured);
  }

  @Override
  public void endCall(JsonWriter out, long id) {
    JsonRpc.STRICT.endCall(out, id);
  }

  @Override
  public void beginResult(JsonWriter out, byte[] bytes, int from, int to, String method) {
    JsonRpc.STRICT.beginResult(out, bytes, from, to, method);
  }

  @Override
  public void endResult(JsonWriter out, byte[] bytes, int from, int to) {
    JsonRpc.STRICT.endResult(out, bytes, from, to);
  }

  @Override
  public void error(
      JsonWriter out, byte[] bytes, int from, int to, @Nullable String method, RpcError error) {
    JsonRpc.STRICT.error(out, bytes, from, to, method, error);
  }
}

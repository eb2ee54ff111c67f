package dev.repartee.message;

import dev.repartee.json.Json;
import dev.repartee.json.JsonWriter;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A codec that forwards every method to another codec. Extend it for an envelope that differs from
 * a known one in a few methods only.
 */
public abstract class ForwardingCodec implements Codec {
  private final Codec codec;

  /** Forwards to that codec. */
  protected ForwardingCodec(Codec codec) {
    this.codec = Objects.requireNonNull(codec);
  }

  @Override
  public void decode(byte[] frame, int from, int to, ParsedFrame into) {
    codec.decode(frame, from, to, into);
  }

  @Override
  public void beginCall(JsonWriter out, long id, String method, boolean structured) {
    codec.beginCall(out, id, method, structured);
  }

  @Override
  public void endParams(JsonWriter out, int from) {
    codec.endParams(out, from);
  }

  @Override
  public void member(JsonWriter out, String name, Json value) {
    codec.member(out, name, value);
  }

  @Override
  public void endCall(JsonWriter out, long id) {
    codec.endCall(out, id);
  }

  @Override
  public void beginResult(JsonWriter out, byte[] bytes, int from, int to, String method) {
    codec.beginResult(out, bytes, from, to, method);
  }

  @Override
  public void endResult(JsonWriter out, byte[] bytes, int from, int to) {
    codec.endResult(out, bytes, from, to);
  }

  @Override
  public void error(
      JsonWriter out, byte[] bytes, int from, int to, @Nullable String method, RpcError error) {
    codec.error(out, bytes, from, to, method, error);
  }

  @Override
  public RpcError readError(Json error) {
    return codec.readError(error);
  }

  @Override
  public @Nullable LongSupplier numbering() {
    return codec.numbering();
  }

  @Override
  public boolean isCancelTaken() {
    return codec.isCancelTaken();
  }
}

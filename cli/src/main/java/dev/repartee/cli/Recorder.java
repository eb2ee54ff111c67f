package dev.repartee.cli;

import dev.repartee.Codec;
import dev.repartee.Dialect;
import dev.repartee.ForwardingCodec;
import dev.repartee.JsonRpc;
import dev.repartee.ParsedFrame;
import dev.repartee.Response;
import dev.repartee.json.Json;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Plain JSON-RPC that keeps the last response exactly as received, including unknown members. For a
 * connection that makes one call.
 */
final class Recorder extends ForwardingCodec implements Dialect {
  private volatile @Nullable Json response;

  Recorder() {
    super(JsonRpc.STRICT);
  }

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
    super.decode(frame, from, to, into);
  }
}

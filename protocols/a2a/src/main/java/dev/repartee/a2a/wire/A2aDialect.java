package dev.repartee.a2a.wire;

import dev.repartee.json.JsonWriter;
import dev.repartee.message.Codec;
import dev.repartee.message.Dialect;
import dev.repartee.message.ForwardingCodec;
import dev.repartee.message.JsonRpc;
import dev.repartee.message.ParsedFrame;
import dev.repartee.message.RpcError;
import org.jspecify.annotations.Nullable;

/**
 * The A2A dialect of JSON-RPC (section 9): without batches and without a message that cancels a
 * call. The details of errors contain their type.
 */
public final class A2aDialect implements Dialect {
  private static final Codec CODEC = new Envelope();

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

  /** Returns null, because a cancelled call has lost its connection or was already answered. */
  @Override
  public @Nullable RpcError cancelledError() {
    return null;
  }

  @Override
  public RpcError busy(String limit, long max) {
    return Errors.busyError(limit, max);
  }

  @Override
  public RpcError deadlinePassed(long millis) {
    return Errors.deadlinePassed(millis);
  }

  private static final class Envelope extends ForwardingCodec {
    Envelope() {
      super(JsonRpc.STRICT);
    }

    @Override
    public void decode(byte[] frame, int from, int to, ParsedFrame into) {
      super.decode(frame, from, to, into);
      if (into.isBatch()) {
        into.reset(frame, false);
        into.add(ParsedFrame.INVALID);
      }
    }

    @Override
    public void error(
        JsonWriter out, byte[] bytes, int from, int to, @Nullable String method, RpcError error) {
      super.error(out, bytes, from, to, method, Errors.standard(error));
    }
  }
}

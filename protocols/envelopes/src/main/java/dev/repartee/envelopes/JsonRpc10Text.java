package dev.repartee.envelopes;

import dev.repartee.framing.Envelope;
import dev.repartee.json.JsonWriter;
import dev.repartee.message.Codec;
import dev.repartee.message.ForwardingCodec;
import dev.repartee.message.ForwardingDialect;
import dev.repartee.message.RpcError;
import org.jspecify.annotations.Nullable;

/**
 * JSON-RPC 1.0 with errors that are strings: {@code #envelope=jsonrpc-1.0-text}. The message of an
 * error is sent, without its code and data. Everything else is as in {@link JsonRpc10}. For peers
 * that end the connection if an error is an object, such as Go's {@code net/rpc/jsonrpc}.
 *
 * <p>Immutable and thread-safe.
 */
public final class JsonRpc10Text extends ForwardingDialect implements Envelope {
  private static final Codec CODEC = new TextErrors();

  /** Creates the dialect. */
  public JsonRpc10Text() {
    super(new JsonRpc10());
  }

  /** Returns {@code jsonrpc-1.0-text}. */
  @Override
  public String name() {
    return "jsonrpc-1.0-text";
  }

  @Override
  public Codec codec() {
    return CODEC;
  }

  private static final class TextErrors extends ForwardingCodec {
    TextErrors() {
      super(new JsonRpc10Codec());
    }

    @Override
    public void error(
        JsonWriter out, byte[] bytes, int from, int to, @Nullable String method, RpcError error) {
      out.ascii("{\"result\":null,\"error\":").string(error.message());
      JsonRpc10Codec.id(out, bytes, from, to);
    }
  }
}

package dev.repartee.mcp.wire;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.json.JsonWriter;
import dev.repartee.message.Codec;
import dev.repartee.message.Dialect;
import dev.repartee.message.ForwardingCodec;
import dev.repartee.message.Id;
import dev.repartee.message.JsonRpc;
import dev.repartee.message.ParsedFrame;
import dev.repartee.message.RpcError;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The MCP dialect of JSON-RPC: cancelled calls get no response, and an error without a readable id
 * has no {@code id} member.
 */
public final class McpDialect implements Dialect {
  private final Codec codec;

  /** Creates the dialect; {@code takesBatches} returns true while batches are accepted. */
  public McpDialect(BooleanSupplier takesBatches) {
    this.codec = new Envelope(takesBatches);
  }

  @Override
  public boolean hasMeta() {
    return true;
  }

  @Override
  public Codec codec() {
    return codec;
  }

  @Override
  public String cancelMethod() {
    return "notifications/cancelled";
  }

  @Override
  public Json cancelParams(Id id) {
    return new JsonObjectBuilder().put("requestId", id.json()).build();
  }

  @Override
  public @Nullable Id cancelled(@Nullable Json params) {
    return idIn(params, "requestId");
  }

  @Override
  public @Nullable RpcError cancelledError() {
    return null;
  }

  @Override
  public String progressMethod() {
    return "notifications/progress";
  }

  /**
   * Returns the id for clients that use it as progress token, such as the clients of this library.
   */
  @Override
  public @Nullable Id progressed(@Nullable Json params) {
    return idIn(params, "progressToken");
  }

  @Override
  public @Nullable Json progress(Json params) {
    return params;
  }

  @Override
  public Json progressParams(Id id, Json value) {
    return JsonObjectBuilder.of(value).put("progressToken", id.json()).build();
  }

  @Override
  public RpcError busy(String limit, long max) {
    return Errors.busy(limit, max);
  }

  @Override
  public RpcError deadlinePassed(long millis) {
    return Errors.deadlinePassed(millis);
  }

  /** Returns an error response; {@code id} is null if the id of the request is not known. */
  public static byte[] frame(@Nullable Id id, RpcError error) {
    JsonWriter out = new JsonWriter();
    byte[] literal = id == null ? new byte[0] : id.json().toBytes();
    Envelope.WITHOUT_BATCHES.error(out, literal, 0, literal.length, null, error);
    return out.toBytes();
  }

  private static @Nullable Id idIn(@Nullable Json params, String name) {
    Json id = params == null ? null : params.get(name);
    return id != null && (id.kind() == Json.Kind.STRING || id.kind() == Json.Kind.NUMBER)
        ? Id.of(id)
        : null;
  }

  /** The message format of the MCP schemas: JSON-RPC 2.0, batches in one revision only. */
  private static final class Envelope extends ForwardingCodec {
    static final Envelope WITHOUT_BATCHES = new Envelope(() -> false);

    private final BooleanSupplier takesBatches;

    Envelope(BooleanSupplier takesBatches) {
      super(JsonRpc.STRICT);
      this.takesBatches = takesBatches;
    }

    @Override
    public void decode(byte[] frame, int from, int to, ParsedFrame into) {
      super.decode(frame, from, to, into);
      if (into.isBatch() && !takesBatches.getAsBoolean()) {
        into.reset(frame, false);
        into.add(ParsedFrame.INVALID);
      }
    }

    @Override
    public void error(
        JsonWriter out, byte[] bytes, int from, int to, @Nullable String method, RpcError error) {
      if (from < to && bytes[from] != 'n') {
        super.error(out, bytes, from, to, method, error);
        return;
      }
      out.ascii("{\"jsonrpc\":\"2.0\",\"error\":").json(Errors.json(error)).put('}');
    }
  }
}

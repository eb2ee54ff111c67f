package dev.repartee.mcp.client;

import dev.repartee.json.JsonWriter;
import dev.repartee.mcp.wire.McpDialect;
import dev.repartee.message.Codec;
import dev.repartee.message.Dialect;
import dev.repartee.message.ForwardingCodec;
import dev.repartee.message.ForwardingDialect;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The dialect of a client. Progress is reported by tokens of this client, not by ids of calls, so
 * it is a method like any other. The id of a request is told to the code that sends it, since the
 * messages of a subscription name the id of its request.
 */
final class ClientDialect extends ForwardingDialect {
  private static final Dialect MCP = new McpDialect(() -> true);

  /** The receiver of the id of the request that this thread is sending. */
  private static final ThreadLocal<@Nullable LongConsumer> ID = new ThreadLocal<>();

  private static final Codec CODEC = new ForwardingCodec(MCP.codec()) {
    @Override
    public void beginCall(JsonWriter out, long id, String method, boolean structured) {
      LongConsumer taker = ID.get();
      if (taker != null) {
        taker.accept(id);
      }
      super.beginCall(out, id, method, structured);
    }
  };

  ClientDialect() {
    super(MCP);
  }

  /** Sends a request and tells its id before it leaves. */
  static void withId(LongConsumer taker, Runnable sending) {
    ID.set(taker);
    try {
      sending.run();
    } finally {
      ID.remove();
    }
  }

  @Override
  public Codec codec() {
    return CODEC;
  }

  @Override
  public @Nullable String progressMethod() {
    return null;
  }
}

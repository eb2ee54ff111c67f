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
 * The dialect of a client. MCP reports progress by a token and not by the id of the call; therefore
 * this dialect has no progress method, and the notification is served like any other. {@link
 * #withId} reports the id of a request to its sender, because the messages of a subscription refer
 * to the id of its request.
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

  /**
   * Runs code that sends a request. {@code taker} receives the id before the request is written.
   */
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

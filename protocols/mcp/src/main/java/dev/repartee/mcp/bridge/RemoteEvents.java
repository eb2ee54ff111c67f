package dev.repartee.mcp.bridge;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.mcp.types.Revision;
import dev.repartee.message.Codec;
import dev.repartee.message.Dialect;
import dev.repartee.message.ForwardingCodec;
import dev.repartee.message.ForwardingDialect;
import dev.repartee.message.Notification;
import dev.repartee.message.ParsedFrame;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the notifications of a remote service to the clients of an MCP server, as log messages
 * of the level {@code info}: {@code {"event":NAME,"params":PARAMS}} from the logger {@code events}.
 *
 * <p>A client with a handshake receives them at any time. A client of 2026-07-28 receives them
 * during its calls, if the call requests that level. A message to a client that does not read is
 * dropped. Params above 64 KiB are omitted. Notifications of the protocol itself ({@code rpc.},
 * progress) are not forwarded.
 *
 * <p>Thread-safe.
 */
@SuppressWarnings("deprecation") // deprecated by the specification, but still supported
public final class RemoteEvents {
  /** The maximum number of bytes of params in a log message. */
  private static final int MAX_BYTES = 64 << 10;

  /** The running calls of clients without a session. */
  private final Set<McpCall> calls = ConcurrentHashMap.newKeySet();

  private volatile @Nullable McpServer server;
  private volatile boolean blocking;

  /** Creates an object that does not forward notifications yet; see {@link #to}. */
  public RemoteEvents() {}

  /** Starts to forward notifications to the clients of that server. */
  public void to(McpServer server) {
    this.server = server;
  }

  /**
   * Returns the same dialect for a connection to the service, with forwarding of its notifications.
   */
  public Dialect in(Dialect dialect) {
    blocking = dialect.answersInOrder() && dialect.cancelMethod() == null;
    return new ForwardingDialect(dialect) {
      @Override
      public Codec codec() {
        return new Hearing(super.codec(), super.progressMethod());
      }
    };
  }

  /** Returns whether an abandoned call blocks the later calls of its connection. */
  boolean isBlocking() {
    return blocking;
  }

  /** Registers a running call of a client. The returned action removes it. */
  Runnable during(McpCall call) {
    if (!call.revision().isAtLeast(Revision.V2026_07_28)) {
      return () -> {}; // its client receives the log messages of the server
    }
    calls.add(call);
    return () -> calls.remove(call);
  }

  private void heard(Notification event) {
    McpServer known = server;
    if (known == null) {
      return;
    }
    Json params = event.params();
    JsonObjectBuilder data = new JsonObjectBuilder().put("event", event.method());
    if (params != null && params.length() > MAX_BYTES) {
      data.put("bytesLeftOut", params.length());
    } else {
      data.put("params", params);
    }
    Json message = data.build();
    known.log(LogLevel.INFO, "events", message);
    calls.forEach(call -> call.log(LogLevel.INFO, "events", message));
  }

  private final class Hearing extends ForwardingCodec {
    private final @Nullable String progress;

    Hearing(Codec codec, @Nullable String progress) {
      super(codec);
      this.progress = progress;
    }

    @Override
    public void decode(byte[] frame, int from, int to, ParsedFrame into) {
      super.decode(frame, from, to, into);
      for (int i = 0; i < into.count(); i++) {
        if (into.kind(i) == ParsedFrame.NOTIFICATION
            && into.message(i) instanceof Notification event
            && !event.method().startsWith("rpc.")
            && !event.method().equals(progress)) {
          heard(event);
        }
      }
    }
  }
}

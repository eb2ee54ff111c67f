package dev.repartee.netty;

import dev.repartee.Endpoint;
import io.netty.channel.ChannelHandler;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.ZlibCodecFactory;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketClientExtensionHandler;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketServerExtensionHandler;
import io.netty.handler.codec.http.websocketx.extensions.compression.PerMessageDeflateClientExtensionHandshaker;
import io.netty.handler.codec.http.websocketx.extensions.compression.PerMessageDeflateServerExtensionHandshaker;

/**
 * Compresses the messages of a WebSocket (RFC 7692), where both sides want it. Off by default: it costs
 * time and memory, and where secrets stand beside what others choose, its sizes give them away.
 */
final class Deflate {
  private static final int LEVEL = 6;
  private static final int WINDOW = 15;

  private Deflate() {}

  /** Whether the endpoint asks for it. */
  static boolean isOn(Endpoint endpoint) {
    return switch (endpoint.option("deflate", "false")) {
      case "true" -> true;
      case "false" -> false;
      default ->
        throw new IllegalArgumentException(
            "'" + endpoint + "' has an option deflate that is neither true nor false");
    };
  }

  /** Agrees with a client on it; unpacks no message to that many bytes or more. */
  static ChannelHandler server(int frameBytes) {
    return new WebSocketServerExtensionHandler(new PerMessageDeflateServerExtensionHandshaker(
        LEVEL,
        ZlibCodecFactory.isSupportingWindowSizeAndMemLevel(),
        WINDOW,
        true,
        false,
        frameBytes));
  }

  /** Asks a server for it; unpacks no message to that many bytes or more. */
  static ChannelHandler client(int frameBytes) {
    return new WebSocketClientExtensionHandler(new PerMessageDeflateClientExtensionHandshaker(
        LEVEL,
        ZlibCodecFactory.isSupportingWindowSizeAndMemLevel(),
        WINDOW,
        true,
        false,
        frameBytes));
  }

  /** What to tell a peer whose message cannot be unpacked. */
  static WebSocketCloseStatus status(DecompressionException failure) {
    return String.valueOf(failure.getMessage()).contains("maximum size")
        ? WebSocketCloseStatus.MESSAGE_TOO_BIG
        : WebSocketCloseStatus.INVALID_PAYLOAD_DATA;
  }
}

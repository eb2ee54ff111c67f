package dev.repartee.netty.http;

import dev.repartee.transport.Endpoint;
import io.netty.channel.ChannelHandler;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.ZlibCodecFactory;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketClientExtensionHandler;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketServerExtensionHandler;
import io.netty.handler.codec.http.websocketx.extensions.compression.PerMessageDeflateClientExtensionHandshaker;
import io.netty.handler.codec.http.websocketx.extensions.compression.PerMessageDeflateServerExtensionHandshaker;

/**
 * The compression of WebSocket messages (permessage-deflate, RFC 7692), used if both sides ask for
 * it. Off by default: it costs time and memory. It can also leak secrets: if a message contains a
 * secret and text of an attacker, its compressed size shows whether the two are similar.
 */
public final class Deflate {
  private static final int LEVEL = 6;
  private static final int WINDOW = 15;

  private Deflate() {}

  /**
   * Returns whether the option {@code deflate} of an endpoint is true.
   *
   * @throws IllegalArgumentException if its value is neither true nor false
   */
  public static boolean isOn(Endpoint endpoint) {
    return switch (endpoint.option("deflate", "false")) {
      case "true" -> true;
      case "false" -> false;
      default ->
        throw new IllegalArgumentException(
            "'" + endpoint + "' has an option deflate that is neither true nor false");
    };
  }

  /**
   * Returns the handler that negotiates compression with a client. A message that decompresses to
   * {@code frameBytes} or more is refused.
   */
  public static ChannelHandler server(int frameBytes) {
    return new WebSocketServerExtensionHandler(new PerMessageDeflateServerExtensionHandshaker(
        LEVEL,
        ZlibCodecFactory.isSupportingWindowSizeAndMemLevel(),
        WINDOW,
        true,
        false,
        frameBytes));
  }

  /**
   * Returns the handler that negotiates compression with a server. A message that decompresses to
   * {@code frameBytes} or more is refused.
   */
  public static ChannelHandler client(int frameBytes) {
    return new WebSocketClientExtensionHandler(new PerMessageDeflateClientExtensionHandshaker(
        LEVEL,
        ZlibCodecFactory.isSupportingWindowSizeAndMemLevel(),
        WINDOW,
        true,
        false,
        frameBytes));
  }

  /** Returns the close status for a message that cannot be decompressed. */
  public static WebSocketCloseStatus status(DecompressionException failure) {
    return String.valueOf(failure.getMessage()).contains("maximum size")
        ? WebSocketCloseStatus.MESSAGE_TOO_BIG
        : WebSocketCloseStatus.INVALID_PAYLOAD_DATA;
  }
}

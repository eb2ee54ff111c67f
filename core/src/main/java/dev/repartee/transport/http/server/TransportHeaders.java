package dev.repartee.transport.http.server;

import dev.repartee.transport.Headers;
import java.util.Locale;
import java.util.Set;

/**
 * The header fields that delimit messages or open a WebSocket. The transport sets them itself;
 * another value would break the connection.
 */
public final class TransportHeaders {
  private static final Set<String> OURS =
      Set.of("content-length", "transfer-encoding", "connection", "upgrade", "expect", "te");

  private TransportHeaders() {}

  /**
   * Checks that no field of a user is one of the transport's own.
   *
   * @throws IllegalArgumentException naming the first field that is
   */
  public static void refuse(Headers headers) {
    for (String name : headers.fields().keySet()) {
      String lower = name.toLowerCase(Locale.ROOT);
      if (lower.equals("sec-websocket-protocol")) {
        throw new IllegalArgumentException(
            "the header " + name + " is written as an option of the URI: #subprotocol=NAME");
      }
      if (OURS.contains(lower) || lower.startsWith("sec-websocket-")) {
        throw new IllegalArgumentException(
            "the header " + name + " is set by the transport itself; leave it out");
      }
    }
  }
}

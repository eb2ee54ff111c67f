package dev.repartee.netty.http;

import dev.repartee.transport.Headers;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Locale;
import java.util.Set;

/** The header fields that the user of a client adds to its requests and handshakes. */
public final class CallerHeaders {
  /**
   * The fields that delimit messages or open a WebSocket. The transport sets them itself; another
   * value would break the connection.
   */
  private static final Set<String> OURS =
      Set.of("content-length", "transfer-encoding", "connection", "upgrade", "expect", "te");

  private CallerHeaders() {}

  /**
   * Checks that no field is one of the transport's own.
   *
   * @throws IllegalArgumentException naming the first field that is
   */
  public static void check(Headers headers) {
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

  /** Copies the fields into a request. A field replaces all fields of the same name. */
  public static void put(Headers headers, HttpHeaders into) {
    headers.fields().forEach(into::set);
  }
}

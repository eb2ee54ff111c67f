package dev.repartee.netty;

import dev.repartee.Headers;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Locale;
import java.util.Set;

/** Header fields that whoever connects adds to its requests. */
final class CallerHeaders {
  /** What delimits messages and opens a WebSocket: another value would break the connection. */
  private static final Set<String> OURS =
      Set.of("content-length", "transfer-encoding", "connection", "upgrade", "expect", "te");

  private CallerHeaders() {}

  /**
   * Refuses those that are the transport's own business.
   *
   * @throws IllegalArgumentException naming the first
   */
  static void check(Headers headers) {
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

  /** Puts them in, in the place of those of the same names. */
  static void put(Headers headers, HttpHeaders into) {
    headers.fields().forEach(into::set);
  }
}

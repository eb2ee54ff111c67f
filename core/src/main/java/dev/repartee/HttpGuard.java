package dev.repartee;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * Tells HTTP from JSON-RPC on a plain stream, so that no web page can make a browser talk to a local
 * server: what a browser sends starts with a request line, and carries {@code Host} or {@code Origin}.
 */
final class HttpGuard {
  private static final List<String> TOKENS = List.of(
      "GET ",
      "POST ",
      "PUT ",
      "HEAD ",
      "OPTIONS ",
      "DELETE ",
      "PATCH ",
      "TRACE ",
      "CONNECT ",
      "PRI ");
  private static final List<String> HEADERS = List.of("host:", "origin:");

  /** A request line is looked for in that much of a frame. */
  private static final int LINE = 256;

  /** What the first bytes of a connection are. */
  enum Verdict {
    /** An HTTP request. */
    HTTP,
    /** Nothing of the kind. */
    OTHER,
    /** Too few to tell; never more than seven bytes. */
    UNDECIDED
  }

  private HttpGuard() {}

  /** Judges the first bytes of a connection. */
  static Verdict judge(byte[] b, int from, int to) {
    if (from == to) {
      return Verdict.UNDECIDED;
    }
    if (b[from] < 'A' || b[from] > 'Z') {
      return Verdict.OTHER;
    }
    Verdict verdict = Verdict.OTHER;
    for (String token : TOKENS) {
      int shown = Math.min(token.length(), to - from);
      if (token.startsWith(new String(b, from, shown, ISO_8859_1))) {
        if (shown == token.length()) {
          return Verdict.HTTP;
        }
        verdict = Verdict.UNDECIDED;
      }
    }
    return verdict;
  }

  /** Whether a frame is a line of an HTTP request. JSON never is: it starts with no such letter. */
  static boolean isRequest(byte[] b, int from, int to) {
    if (from == to || (b[from] | 0x20) < 'a' || (b[from] | 0x20) > 'z') {
      return false;
    }
    String line = new String(b, from, Math.min(LINE, to - from), ISO_8859_1);
    String lower = line.toLowerCase(Locale.ROOT);
    return HEADERS.stream().anyMatch(lower::startsWith)
        || TOKENS.stream().anyMatch(line::startsWith) && line.contains(" HTTP/");
  }

  /** Why the connection was closed. */
  static IOException refusal(String remote) {
    return new IOException("an HTTP request came from "
        + remote
        + " to an endpoint that speaks JSON-RPC without HTTP; send one JSON text a line instead");
  }
}

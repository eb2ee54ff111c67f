package dev.repartee.internal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Detects HTTP requests on a plain JSON-RPC stream, so that no web page can use a browser to send
 * messages to a local server. The request of a browser starts with a request line and has a header
 * {@code Host} or {@code Origin}. Also detects clients that begin a TLS handshake.
 */
public final class HttpGuard {
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

  private static final byte[] RESPONSE = Text.utf8("HTTP/1.");

  private static final String REMEDY = " to an endpoint that speaks JSON-RPC without HTTP; to serve"
      + " HTTP clients, listen at an http: URI with repartee-netty";

  /** The sentence for the log of the server. */
  public static final String VIOLATION = "an HTTP request came" + REMEDY;

  /** The defect of a TLS handshake at an endpoint without TLS, for both sides. */
  public static final String TLS_DEFECT = "a TLS handshake, but this endpoint has no TLS; connect"
      + " with tcp:, or listen at a tls: URI with repartee-netty";

  /** The type of a record of TLS that is part of a handshake, and the first byte of its version. */
  private static final byte[] HANDSHAKE = {22, 3};

  /** The number of bytes of a frame that are searched for a request line. */
  private static final int LINE = 256;

  /** The result of {@link #judge}. */
  public enum Verdict {
    /** The bytes begin an HTTP request. */
    HTTP,
    /** The bytes begin a TLS handshake. */
    TLS,
    /** The bytes begin neither. */
    OTHER,
    /** There are too few bytes to decide: seven at most. */
    UNDECIDED
  }

  private HttpGuard() {}

  /** Returns whether the first bytes of a connection begin an HTTP request or a TLS handshake. */
  public static Verdict judge(byte[] b, int from, int to) {
    if (from == to) {
      return Verdict.UNDECIDED;
    }
    if (b[from] == HANDSHAKE[0]) {
      return to - from < HANDSHAKE.length
          ? Verdict.UNDECIDED
          : b[from + 1] == HANDSHAKE[1] ? Verdict.TLS : Verdict.OTHER;
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

  /**
   * Returns whether a frame is a line of an HTTP request. A valid message never starts with a
   * letter.
   */
  public static boolean isRequest(byte[] b, int from, int to) {
    if (from == to || (b[from] | 0x20) < 'a' || (b[from] | 0x20) > 'z') {
      return false;
    }
    String line = new String(b, from, Math.min(LINE, to - from), ISO_8859_1);
    String lower = line.toLowerCase(Locale.ROOT);
    return HEADERS.stream().anyMatch(lower::startsWith)
        || TOKENS.stream().anyMatch(line::startsWith) && line.contains(" HTTP/");
  }

  /** Returns whether a frame begins with a status line of HTTP: a client has reached a web server. */
  public static boolean isResponse(byte[] b, int from, int to) {
    int status = from + RESPONSE.length + 2; // after the minor version and a blank
    return to - status >= 3
        && Arrays.mismatch(b, from, from + RESPONSE.length, RESPONSE, 0, RESPONSE.length) < 0
        && b[status - 1] == ' '
        && isDigit(b[status])
        && isDigit(b[status + 1])
        && isDigit(b[status + 2]);
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  /** Returns the reason for closing the connection. */
  public static IOException refusal(String remote) {
    return new IOException("an HTTP request came from " + remote + REMEDY);
  }
}

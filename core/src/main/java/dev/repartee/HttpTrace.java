package dev.repartee;

/**
 * Notices an HTTP client on a stream that is not HTTP, byte by byte: a request line, or a {@code
 * Host} or {@code Origin} header at the start of a line. Any web page can make a browser send a POST
 * to a local port, with messages of ours in its body; such a connection must end before its body is
 * read.
 */
final class HttpTrace {
  static final String REASON =
      "an HTTP client speaks here, but this is a plain stream; use a listener of http: for it";

  private static final String HOST = "host:";
  private static final String ORIGIN = "origin:";
  private static final String VERSION = " http/";

  /** Of each text, how many bytes the line so far ends with; -1 once the line cannot match. */
  private int host;

  private int origin;
  private int version = -1;

  /** Whether only capital letters stood on the line so far: an HTTP method. */
  private boolean method = true;

  /** Whether that line, without its end, is one of an HTTP client. */
  static boolean in(byte[] b, int from, int to) {
    HttpTrace trace = new HttpTrace();
    for (int i = from; i < to; i++) {
      if (trace.sees(b[i])) {
        return true;
      }
    }
    return false;
  }

  /** Whether these four bytes, big-endian, begin a request line of a method that browsers use. */
  static boolean isMethod(int four) {
    return switch (four) {
      case 0x47455420, 0x504F5354, 0x50555420, 0x48454144, 0x44454C45, 0x4F505449, 0x50415443 ->
        true;
      default -> false; // GET, POST, PUT, HEAD, DELETE, OPTIONS, PATCH are those above
    };
  }

  /** What comes next stands at the start of a line. */
  void startOfLine() {
    host = 0;
    origin = 0;
    version = -1;
    method = true;
  }

  /** What comes next stands somewhere in a line. */
  void insideLine() {
    host = -1;
    origin = -1;
    version = -1;
    method = false;
  }

  /** Takes the next byte; answers whether it completes the trace of an HTTP client. */
  boolean sees(byte c) {
    if (c == '\n') {
      startOfLine();
      return false;
    }
    int lower = Bytes.lower(c);
    host = host >= 0 && lower == HOST.charAt(host) ? host + 1 : -1;
    origin = origin >= 0 && lower == ORIGIN.charAt(origin) ? origin + 1 : -1;
    if (method) {
      method = c >= 'A' && c <= 'Z';
      version = method ? 0 : c == ' ' ? version : -1;
    } else if (version >= 0) {
      version = lower == VERSION.charAt(version) ? version + 1 : c == ' ' ? 1 : 0;
    }
    return host == HOST.length() || origin == ORIGIN.length() || version == VERSION.length();
  }
}

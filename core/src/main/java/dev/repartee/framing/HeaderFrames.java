package dev.repartee.framing;

import dev.repartee.json.JsonWriter;
import dev.repartee.limits.Limits;
import org.jspecify.annotations.Nullable;

/** The framing {@link Framing#CONTENT_LENGTH}, as in the base protocol of LSP and in DAP. */
final class HeaderFrames implements Frames {
  private static final String PREFIX = "Content-Length: ";
  private static final String SUFFIX = "\r\n\r\n";
  private static final int USUAL_DIGITS = 3;

  /** The multiple of {@code frameBytes} up to which a body is skipped; a longer one is the end. */
  private static final int SKIPPED = 64;

  private enum Place {
    HEADER,
    BODY,
    /** In a body that is skipped, because it is too large or has an unsupported charset. */
    SKIP,
    /** After a bad header block: searching for the next header. */
    LOST
  }

  private final int max;
  private final int maxHeader;
  private final HeaderBlock block = new HeaderBlock();
  private final HeaderSearch search = new HeaderSearch();

  private Place place = Place.HEADER;

  /** The number of bytes of the header line that were searched for its end. */
  private int looked;

  /** The number of bytes of the header block before the current line. */
  private int consumed;

  /** The length of the body; in {@link Place#SKIP}, the number of bytes that are left to skip. */
  private long body;

  /** Whether a fault was reported for the current run of bad input, so that it is reported once. */
  private boolean reported;

  private boolean ended;

  HeaderFrames(Limits limits) {
    this.max = limits.frameBytes();
    this.maxHeader = limits.headerBytes();
  }

  @Override
  public int read(byte[] b, int from, int to, Receiver receiver) {
    int i = from;
    while (!ended && receiver.ready()) {
      int next = switch (place) {
        case HEADER -> line(b, i, to, receiver);
        case BODY -> body(b, i, to, receiver);
        case SKIP -> skip(i, to);
        case LOST -> lost(b, i, to);
      };
      if (next < 0) {
        return ~next;
      }
      i = next;
    }
    return i;
  }

  /*
   * Each of the following methods returns the index at which the next step continues, or its
   * bitwise complement if the step needs more input from there on.
   */

  private int line(byte[] b, int from, int to, Receiver receiver) {
    int i = from + looked;
    while (i < to && b[i] >= 0 && b[i] != '\n') {
      i++;
    }
    if (consumed + (i - from) >= maxHeader) {
      return fatal(
          "a header is longer than the limit headerBytes of " + maxHeader
              + " allows; send Content-Length and little else",
          from,
          to,
          receiver);
    }
    if (i == to) {
      looked = to - from;
      return ~from;
    }
    looked = 0;
    consumed += i + 1 - from;
    if (b[i] < 0) {
      return garbage(
          FrameFault.unreadable("a header contains a byte that is not ASCII", i), i + 1, receiver);
    }
    return lineUpTo(i, b, from, receiver);
  }

  private int lineUpTo(int lineFeed, byte[] b, int from, Receiver receiver) {
    boolean crlf = lineFeed > from && b[lineFeed - 1] == '\r';
    int end = crlf ? lineFeed - 1 : lineFeed;
    if (crlf && end == from) {
      return endOfBlock(lineFeed + 1, receiver);
    }
    int colon = HeaderBlock.colon(b, from, end);
    if (HeaderBlock.isOfHttp(b, from, colon)) {
      return fatal(
          "a Host or Origin header: an HTTP client speaks here, but this is a plain stream",
          from,
          lineFeed + 1,
          receiver);
    }
    if (colon == end && end > from) {
      return garbage(
          FrameFault.unreadable("a header is expected", from).showing(b, from, end),
          lineFeed + 1,
          receiver);
    }
    if (!crlf) {
      return garbage(
          FrameFault.unreadable("a header line ends in LF alone; end it in CRLF", lineFeed),
          lineFeed + 1,
          receiver);
    }
    block.header(b, from, colon, end);
    return lineFeed + 1;
  }

  private int endOfBlock(int next, Receiver receiver) {
    FrameFault flaw = flaw(next - consumed);
    String charset = block.charset();
    body = block.length();
    startOfBlock();
    if (flaw != null) {
      int after = garbage(flaw, next, receiver);
      reported = false;
      return after;
    }
    reported = false;
    place = body >= max || charset != null ? Place.SKIP : Place.BODY;
    if (body > (long) max * SKIPPED) {
      ended = true;
      receiver.fault(FrameFault.tooLargeToSkip(max, (long) max * SKIPPED));
    } else if (body >= max) {
      receiver.fault(FrameFault.tooLarge(max));
    } else if (charset != null) {
      receiver.fault(FrameFault.unreadable("the charset of a message has to be utf-8", next)
          .showing(charset));
    }
    return next;
  }

  /** Returns the fault of a header block that began at {@code start}; null if it has none. */
  private @Nullable FrameFault flaw(int start) {
    String flaw = block.flaw();
    String shown = block.shown();
    if (flaw == null) {
      return null;
    }
    FrameFault fault = FrameFault.unreadable(flaw, start);
    return shown == null ? fault : fault.showing(shown);
  }

  private void startOfBlock() {
    place = Place.HEADER;
    looked = 0;
    consumed = 0;
    block.reset();
  }

  private int body(byte[] b, int from, int to, Receiver receiver) {
    if (to - from < body) {
      return ~from;
    }
    int end = from + (int) body;
    place = Place.HEADER;
    receiver.frame(b, from, end);
    return end;
  }

  private int skip(int from, int to) {
    int skipped = (int) Math.min(body, to - from);
    body -= skipped;
    if (body > 0) {
      return ~to;
    }
    place = Place.HEADER;
    return from + skipped;
  }

  /** Reports bad input, once for each run of it, and starts to search for the next header. */
  private int garbage(FrameFault fault, int next, Receiver receiver) {
    startOfBlock();
    place = Place.LOST;
    search.start();
    if (!reported) {
      reported = true;
      receiver.fault(fault);
    }
    return next;
  }

  private int lost(byte[] b, int from, int to) {
    int header = search.find(b, from, to);
    if (search.found()) {
      reported &= !search.passedAny();
      startOfBlock();
      return header;
    }
    return ~header;
  }

  private int fatal(String what, int index, int next, Receiver receiver) {
    ended = true;
    receiver.fault(FrameFault.fatal(what, index));
    return next;
  }

  @Override
  public void end(byte[] b, int from, int to, Receiver receiver) {
    if (ended) {
      return;
    }
    if (place == Place.BODY) {
      unfinished(
          "a body of " + body + " bytes, of which " + (to - from) + " had arrived", to, receiver);
    } else if (place == Place.HEADER && !reported && consumed + (to - from) > 0) {
      unfinished("a header", to, receiver);
    }
  }

  private static void unfinished(String where, int index, Receiver receiver) {
    receiver.fault(FrameFault.unreadable(
        "the stream ended inside " + where + "; send the message whole before closing", index));
  }

  @Override
  public boolean ended() {
    return ended;
  }

  @Override
  public void begin(JsonWriter out) {
    out.ascii(PREFIX).ascii("000").ascii(SUFFIX);
  }

  @Override
  public void finish(JsonWriter out, int start) {
    int digitsAt = start + PREFIX.length();
    int message = digitsAt + USUAL_DIGITS + SUFFIX.length();
    int length = out.size() - message;
    int digits = digits(length);
    int target = message + digits - USUAL_DIGITS;
    for (int i = message; i < target; i++) {
      out.put(0);
    }
    byte[] b = out.array();
    if (target != message) {
      System.arraycopy(b, message, b, target, length);
      out.truncate(target + length);
    }
    int at = digitsAt + digits;
    for (int k = 0; k < SUFFIX.length(); k++) {
      b[at + k] = (byte) SUFFIX.charAt(k);
    }
    for (int rest = length; at > digitsAt; rest /= 10) {
      b[--at] = (byte) ('0' + rest % 10);
    }
  }

  private static int digits(int value) {
    int digits = 1;
    for (int rest = value; rest >= 10; rest /= 10) {
      digits++;
    }
    return digits;
  }

  @Override
  public Framing framing() {
    return Framing.CONTENT_LENGTH;
  }
}

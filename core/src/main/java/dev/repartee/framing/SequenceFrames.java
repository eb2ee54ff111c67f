package dev.repartee.framing;

import dev.repartee.internal.Bytes;
import dev.repartee.json.JsonScanner;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.Limits;

/**
 * JSON text sequences (RFC 7464): RS before each message and LF after it. RS cannot occur in valid
 * JSON; after any error, the next RS starts the next message.
 */
final class SequenceFrames implements Frames {
  private static final char RS = 0x1E;

  private enum Place {
    /** Before the first RS, or after a whole element. */
    BETWEEN,
    /** Inside an element. */
    ELEMENT,
    /** In text that was reported as unreadable or too large, up to the next RS. */
    LOST
  }

  private final int max;
  private final ValueScanner nesting = new ValueScanner();

  private Place place = Place.BETWEEN;

  /** The number of bytes of the element that were searched without finding its end. */
  private int looked;

  SequenceFrames(Limits limits) {
    this.max = limits.frameBytes();
  }

  @Override
  public int read(byte[] b, int from, int to, Receiver receiver) {
    int i = from;
    while (receiver.ready()) {
      int next = switch (place) {
        case BETWEEN -> between(b, i, to, receiver);
        case ELEMENT -> element(b, i, to, receiver);
        case LOST -> lost(b, i, to);
      };
      if (next < 0) {
        return ~next;
      }
      i = next;
    }
    return i;
  }

  // Each of the next three methods returns the index at which to continue. If more bytes are
  // needed, it returns the bitwise complement of the index up to which bytes were consumed.

  private int between(byte[] b, int from, int to, Receiver receiver) {
    int i = JsonScanner.space(b, from, to);
    if (i == to) {
      return ~to;
    }
    if (b[i] == RS) {
      startElement();
      return i + 1;
    }
    place = Place.LOST;
    receiver.fault(
        FrameFault.unreadable("RS (0x1E) is expected before each message", i).showing(b, i, to));
    return i;
  }

  private int lost(byte[] b, int from, int to) {
    for (int i = from; i < to; i++) {
      if (b[i] == RS) {
        startElement();
        return i + 1;
      }
    }
    return ~to;
  }

  private void startElement() {
    place = Place.ELEMENT;
    looked = 0;
    nesting.reset();
  }

  private int element(byte[] b, int from, int to, Receiver receiver) {
    int start = looked == 0 ? JsonScanner.space(b, from, to) : from;
    int end = endOfElement(b, start + looked, to);
    if (end - start >= max) {
      place = Place.LOST;
      receiver.fault(FrameFault.tooLarge(max));
      return end;
    }
    if (end == to) {
      looked = to - start;
      return ~start;
    }
    if (b[end] == RS) {
      startElement();
    } else {
      // A broken element may continue on more lines; all of them are dropped up to the next RS.
      place = isBroken() ? Place.LOST : Place.BETWEEN;
    }
    deliver(b, start, end, b[end] == RS, receiver);
    return end + 1;
  }

  /**
   * Returns the index of the RS or LF that ends the element, or {@code to} if neither is there yet.
   * An LF inside an open container is white space and does not end it.
   */
  private int endOfElement(byte[] b, int from, int to) {
    int i = from;
    while (true) {
      int end = Bytes.find(b, i, to, RS, '\n');
      while (i < end) {
        i = nesting.follow(b, i, end);
      }
      if (end == to || b[end] == RS || !nesting.open() || isBroken()) {
        return end;
      }
      i = end + 1;
    }
  }

  /**
   * Whether no valid JSON text can continue this way: a line feed in a string, or a bracket that
   * does not match. Such an element ends at its line feed. Its sender then gets an error
   * immediately, not only after the next RS.
   */
  private boolean isBroken() {
    return nesting.inString() || nesting.mismatched();
  }

  private static void deliver(byte[] b, int from, int to, boolean cut, Receiver receiver) {
    if (from == to) {
      return;
    }
    if (cut && mayBeTruncated(b, from, to)) {
      receiver.fault(
          FrameFault.unreadable("LF is expected after a number or literal, or it is truncated", to)
              .showing(b, from, to));
    } else {
      receiver.frame(b, from, to);
    }
  }

  /**
   * Whether the element may be truncated. Only a white space after a number or literal shows that
   * it is whole (RFC 7464 section 2.4); other values end with their own delimiter.
   */
  private static boolean mayBeTruncated(byte[] b, int from, int to) {
    int start = JsonScanner.start(b, from, to);
    return start == to
        || b[start] != '{'
            && b[start] != '['
            && b[start] != '"'
            && JsonScanner.space(b, to - 1, to) != to;
  }

  @Override
  public void end(byte[] b, int from, int to, Receiver receiver) {
    if (place == Place.ELEMENT) {
      deliver(b, JsonScanner.space(b, from, to), to, true, receiver);
    }
  }

  @Override
  public boolean ended() {
    return false;
  }

  @Override
  public void begin(JsonWriter out) {
    out.put(RS);
  }

  @Override
  public void finish(JsonWriter out, int start) {
    out.put('\n');
  }

  @Override
  public Framing framing() {
    return Framing.JSON_SEQ;
  }
}

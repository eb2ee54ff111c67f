package dev.repartee;

/**
 * JSON text sequences (RFC 7464): RS before each message and LF after it. RS cannot stand in valid
 * JSON, so the next message is found after anything.
 */
final class SequenceFrames implements Frames {
  private static final char RS = 0x1E;

  private enum Place {
    /** Before the first RS, or behind a whole element. */
    BETWEEN,
    ELEMENT,
    /** In text that was reported, up to the next RS. */
    LOST
  }

  private final int max;
  private final Nesting nesting = new Nesting();

  private Place place = Place.BETWEEN;

  /** How many bytes of the element were looked at without finding its end. */
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

  /* Each of these answers where the next step goes on, or the complement of where it must wait. */

  private int between(byte[] b, int from, int to, Receiver receiver) {
    int i = Scanner.space(b, from, to);
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
    int start = looked == 0 ? Scanner.space(b, from, to) : from;
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
      // What follows a broken element on further lines is part of it, up to the next RS.
      place = isBroken() ? Place.LOST : Place.BETWEEN;
    }
    deliver(b, start, end, b[end] == RS, receiver);
    return end + 1;
  }

  /** The index of the RS or LF that ends the element, or {@code to}. */
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

  /** Whether no JSON text can go on so: then its sender waits for an answer, not for its end. */
  private boolean isBroken() {
    return nesting.inString() || nesting.mismatched();
  }

  private static void deliver(byte[] b, int from, int to, boolean cut, Receiver receiver) {
    if (from == to) {
      return;
    }
    if (cut && mayBeTruncated(b, from, to)) {
      receiver.fault(
          FrameFault.unreadable("LF is expected behind a number or literal, or it is truncated", to)
              .showing(b, from, to));
    } else {
      receiver.frame(b, from, to);
    }
  }

  /** RFC 7464, section 2.4: nothing but white space shows that a number or a literal is whole. */
  private static boolean mayBeTruncated(byte[] b, int from, int to) {
    int start = Scanner.start(b, from, to);
    return start == to
        || b[start] != '{'
            && b[start] != '['
            && b[start] != '"'
            && Scanner.space(b, to - 1, to) != to;
  }

  @Override
  public void end(byte[] b, int from, int to, Receiver receiver) {
    if (place == Place.ELEMENT) {
      deliver(b, Scanner.space(b, from, to), to, true, receiver);
    }
  }

  @Override
  public boolean ended() {
    return false;
  }

  @Override
  public void begin(Output out) {
    out.put(RS);
  }

  @Override
  public void finish(Output out, int start) {
    out.put('\n');
  }

  @Override
  public Framing framing() {
    return Framing.JSON_SEQ;
  }
}

package dev.repartee.framing;

import dev.repartee.json.JsonScanner;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.Limits;

/**
 * The framing {@link Framing#CONCATENATED}: JSON values one after another, with or without white
 * space between them. Only the JSON text itself shows the end of a message. Reading ends after text
 * that is not JSON, because the start of the next message cannot be found.
 */
final class ConcatenatedFrames implements Frames {
  private final int max;
  private final ValueScanner nesting = new ValueScanner();

  /** The number of bytes of the value that were searched for its end. */
  private int looked;

  /** Whether a value has begun. */
  private boolean inside;

  /**
   * Whether the value is a number, a literal or other bare text, which has no closing character.
   */
  private boolean run;

  /** Whether the value is too large and is skipped. */
  private boolean skipping;

  /** Whether a byte order mark was skipped before the next value. */
  private boolean marked;

  private boolean ended;

  ConcatenatedFrames(Limits limits) {
    this.max = limits.frameBytes();
  }

  @Override
  public int read(byte[] b, int from, int to, Receiver receiver) {
    int i = from;
    while (!ended && receiver.ready()) {
      if (!inside) {
        i = between(b, i, to);
        if (i == to || !marked && JsonScanner.marked(b, i, to) > 0) {
          break; // the bytes may be the start of a byte order mark
        }
        begin(b[i]);
      }
      int end = follow(b, i + looked, to);
      if (!skipping && end - i >= max) {
        skipping = true;
        receiver.fault(FrameFault.tooLarge(max));
      }
      if (inside) {
        looked = skipping ? 0 : to - i;
        return skipping ? to : i;
      }
      if (!skipping) {
        ended = !receiver.frame(b, i, end);
      }
      skipping = false;
      marked = false;
      i = end;
    }
    return i;
  }

  /** Returns the index of the next message: skips white space and one byte order mark. */
  private int between(byte[] b, int from, int to) {
    int i = JsonScanner.space(b, from, to);
    if (!marked && JsonScanner.marked(b, i, to) == JsonScanner.MARK) {
      marked = true;
      i = JsonScanner.space(b, i + JsonScanner.MARK, to);
    }
    return i;
  }

  private void begin(byte first) {
    inside = true;
    run = first != '{' && first != '[' && first != '"';
    looked = run ? 1 : 0;
    nesting.reset();
  }

  /**
   * Returns the index after the value and clears {@link #inside}; {@code to} if it has no end yet.
   */
  private int follow(byte[] b, int from, int to) {
    int i = from;
    if (run) {
      while (i < to && !endsRun(b[i])) {
        i++;
      }
      inside = i == to;
    } else {
      i = nesting.follow(b, from, to);
      inside = nesting.open();
    }
    return i;
  }

  private static boolean endsRun(byte c) {
    return switch (c) {
      case ' ', '\t', '\n', '\r', '{', '}', '[', ']', '"' -> true;
      default -> false;
    };
  }

  @Override
  public void end(byte[] b, int from, int to, Receiver receiver) {
    if (from < to && !ended) {
      boolean json = receiver.frame(b, from, to);
      ended = !json || !run;
    }
  }

  @Override
  public boolean ended() {
    return ended;
  }

  @Override
  public void begin(JsonWriter out) {}

  /**
   * Ends the message with a line end, which separates two numbers and keeps the stream readable.
   */
  @Override
  public void finish(JsonWriter out, int start) {
    out.put('\n');
  }

  @Override
  public Framing framing() {
    return Framing.CONCATENATED;
  }
}

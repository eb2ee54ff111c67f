package dev.repartee.framing;

import dev.repartee.internal.Bytes;
import dev.repartee.json.JsonScanner;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.Limits;

/** The framing with one message on each line (NDJSON 1.0). */
final class LineFrames implements Frames {
  private final int max;
  private final StreamPreamble leadIn;

  /** The number of bytes of the current line that were searched for its end; 0 at its start. */
  private int looked;

  /** Whether the rest of a line that was too long is being skipped. */
  private boolean skipping;

  LineFrames(Limits limits) {
    this(limits, new StreamPreamble(false));
  }

  /** Starts in the middle of a stream; {@code leadIn} may have skipped its first bytes. */
  LineFrames(Limits limits, StreamPreamble leadIn) {
    this.max = limits.frameBytes();
    this.leadIn = leadIn;
  }

  @Override
  public int read(byte[] b, int from, int to, Receiver receiver) {
    int i = from;
    while (receiver.ready()) {
      int next = skipping ? rest(b, i, to) : line(b, i, to, receiver);
      if (next < 0) {
        return ~next;
      }
      i = next;
    }
    return i;
  }

  /**
   * Reads one line. Returns the index after it, or, if the line is not complete, the bitwise
   * complement of the index of its first byte.
   */
  private int line(byte[] b, int from, int to, Receiver receiver) {
    int start = from;
    if (looked == 0) {
      start = leadIn.skip(b, from, to);
      if (start == to) {
        return ~start;
      }
    }
    int end = Bytes.find(b, start + looked, to, '\n');
    int length = withoutReturn(b, start, end) - start;
    if (length >= max) {
      looked = 0;
      skipping = true;
      receiver.fault(FrameFault.tooLarge(max));
      return end;
    }
    if (end == to) {
      looked = to - start;
      return ~start;
    }
    looked = 0;
    deliver(b, start, start + length, receiver);
    return end + 1;
  }

  /** Delivers a line, unless it is empty or contains only white space or a byte order mark. */
  private static void deliver(byte[] b, int from, int to, Receiver receiver) {
    if (JsonScanner.start(b, from, to) < to) {
      receiver.frame(b, from, to);
    }
  }

  private int rest(byte[] b, int from, int to) {
    int end = Bytes.find(b, from, to, '\n');
    skipping = end == to;
    return skipping ? ~to : end + 1;
  }

  private static int withoutReturn(byte[] b, int from, int to) {
    return to > from && b[to - 1] == '\r' ? to - 1 : to;
  }

  @Override
  public void end(byte[] b, int from, int to, Receiver receiver) {
    deliver(b, from, withoutReturn(b, from, to), receiver);
  }

  @Override
  public boolean ended() {
    return false;
  }

  @Override
  public void begin(JsonWriter out) {}

  /**
   * Ends the line, after replacing line ends inside the message by spaces. In valid JSON they can
   * only be white space between tokens.
   */
  @Override
  public void finish(JsonWriter out, int start) {
    byte[] b = out.array();
    int size = out.size();
    for (int i = start; (i = Bytes.findControl(b, i, size)) < size; i++) {
      if (b[i] == '\n' || b[i] == '\r') {
        b[i] = ' ';
      }
    }
    out.put('\n');
  }

  @Override
  public Framing framing() {
    return Framing.LINES;
  }
}

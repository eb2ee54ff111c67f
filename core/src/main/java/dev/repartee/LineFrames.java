package dev.repartee;

/** One message a line (NDJSON 1.0). */
final class LineFrames implements Frames {
  private final int max;
  private final LeadIn leadIn;

  /** How many bytes of the line were looked at without finding its end; 0 before its first. */
  private int looked;

  /** Whether the rest of a line that was too large is being skipped. */
  private boolean skipping;

  LineFrames(Limits limits) {
    this(limits, new LeadIn(false));
  }

  /** Lines that may follow what {@code leadIn} has skipped of the stream already. */
  LineFrames(Limits limits, LeadIn leadIn) {
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

  /** Answers the index behind the line, or the complement of where it has to wait for more. */
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

  /** Delivers a line, unless it holds nothing but a byte order mark. */
  private static void deliver(byte[] b, int from, int to, Receiver receiver) {
    if (Scanner.start(b, from, to) < to) {
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
  public void begin(Output out) {}

  /** Line ends inside the message can only be white space between its tokens. */
  @Override
  public void finish(Output out, int start) {
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

package dev.repartee;

/**
 * Objects and arrays one after another, with or without white space between. Nothing but the text
 * itself says where a message ends, so text that is not JSON ends the reading.
 */
final class ConcatenatedFrames implements Frames {
  private final int max;
  private final Nesting nesting = new Nesting();

  /** How many bytes of the value were looked at without finding its end. */
  private int looked;

  /** Whether a value has begun. */
  private boolean inside;

  /**
   * Whether that value is a run of text: neither a container nor a string, so nothing closes it.
   */
  private boolean run;

  /** Whether that value is too large, and is being skipped. */
  private boolean skipping;

  /** Whether a byte order mark was skipped before the value that comes next. */
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
        if (i == to || !marked && Scanner.marked(b, i, to) > 0) {
          break; // what stands there may become a byte order mark
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

  /** Skips white space and one byte order mark, behind which the message begins. */
  private int between(byte[] b, int from, int to) {
    int i = Scanner.space(b, from, to);
    if (!marked && Scanner.marked(b, i, to) == Scanner.MARK) {
      marked = true;
      i = Scanner.space(b, i + Scanner.MARK, to);
    }
    return i;
  }

  private void begin(byte first) {
    inside = true;
    run = first != '{' && first != '[' && first != '"';
    looked = run ? 1 : 0;
    nesting.reset();
  }

  /** Answers the index behind the value, no longer {@link #inside} it, or {@code to}. */
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
  public void begin(Output out) {}

  /** The line end keeps two numbers apart, and is what people who look at the stream expect. */
  @Override
  public void finish(Output out, int start) {
    out.put('\n');
  }

  @Override
  public Framing framing() {
    return Framing.CONCATENATED;
  }
}

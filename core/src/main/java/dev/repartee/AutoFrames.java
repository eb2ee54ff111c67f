package dev.repartee;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/*
 * Reading goes START -> VALUE -> AFTER, or from any of the three to a framing, which then does
 * everything. The choice is made once, by the reading thread; writers only look at it.
 */
/** The framing that the first bytes of the peer show. */
final class AutoFrames implements Frames {
  private static final int RS = 0x1E;
  private static final int DELETE = 0x7F;

  private enum Place {
    /** Before the first byte that counts. */
    START,
    /** In a first object or array. */
    VALUE,
    /** Behind it, on the same line. */
    AFTER
  }

  private final Limits limits;
  private final LeadIn leadIn = new LeadIn(true);
  private final LineFrames lines;

  private volatile @Nullable Frames chosen;
  private Place place = Place.START;

  /** Whether a byte order mark was skipped at the start of the stream. */
  private boolean marked;

  /** Of the value, between one part of it and the next. */
  private @Nullable Nesting nesting;

  /** How many bytes of the value were looked at without finding its end. */
  private int looked;

  /** Whether the value is too large, and is being skipped. */
  private boolean skipping;

  /** Whether the value was JSON, so that its end was really that. */
  private boolean json;

  private boolean ended;

  AutoFrames(Limits limits) {
    this.limits = limits;
    this.lines = new LineFrames(limits, leadIn);
  }

  @Override
  public int read(byte[] b, int from, int to, Receiver receiver) {
    Frames known = chosen;
    int i = from;
    while (known == null && !ended && receiver.ready()) {
      int next = switch (place) {
        case START -> start(b, i, to, receiver);
        case VALUE -> value(b, i, to, receiver);
        case AFTER -> after(b, i, to);
      };
      if (next < 0) {
        return ~next;
      }
      i = next;
      known = chosen;
    }
    return known == null ? i : known.read(b, i, to, receiver);
  }

  /* Each of these answers where the next step goes on, or the complement of where it must wait. */

  private int start(byte[] b, int from, int to, Receiver receiver) {
    int i = leadIn.skip(b, from, to);
    int mark = marked ? 0 : Scanner.marked(b, i, to);
    if (mark == Scanner.MARK) {
      marked = true;
      return i + mark;
    }
    if (i == to || mark > 0) {
      return ~i;
    }
    switch (b[i]) {
      case RS -> chosen = new SequenceFrames(limits);
      case 'C', 'c' -> chosen = new HeaderFrames(limits);
      case '{', '[' -> place = Place.VALUE;
      default -> other(b, i, receiver);
    }
    return i;
  }

  /**
   * Chooses by a byte that no message begins with. Other text is a line, which is refused at its end, and
   * the next line may be a message. Behind other bytes no end would be found, and no answer be given.
   */
  private void other(byte[] b, int i, Receiver receiver) {
    if (b[i] == 0 && !marked) {
      chosen = new LengthPrefixFrames(limits);
    } else if (b[i] > ' ' && b[i] < DELETE) {
      chosen = lines;
    } else {
      ended = true;
      receiver.fault(
          FrameFault.fatal("no framing begins with such a byte; send a JSON text a line", i));
    }
  }

  private int value(byte[] b, int from, int to, Receiver receiver) {
    Nesting value = nesting == null ? new Nesting() : nesting;
    nesting = null;
    int newline = Bytes.find(b, from + looked, to, '\n');
    int end = value.follow(b, from + looked, newline);
    if (!skipping && end - from >= limits.frameBytes()) {
      skipping = true;
      receiver.fault(FrameFault.tooLarge(limits.frameBytes()));
    }
    if (!value.open()) {
      place = Place.AFTER;
      json = skipping || receiver.frame(b, from, end);
      return end;
    }
    if (newline < to) {
      chosen = lines;
      return skipping ? newline + 1 : from;
    }
    nesting = value;
    looked = skipping ? 0 : to - from;
    return ~(skipping ? to : from);
  }

  private int after(byte[] b, int from, int to) {
    int i = leadIn.commands(b, from, to);
    while (i < to && isBlank(b[i])) {
      i = leadIn.commands(b, i + 1, to);
    }
    if (i == to) {
      return ~to;
    }
    if (b[i] == '\n') {
      chosen = lines;
    } else if (json) {
      chosen = new ConcatenatedFrames(limits);
    } else {
      ended = true;
    }
    return i;
  }

  private static boolean isBlank(byte c) {
    return c == ' ' || c == '\t' || c == '\r';
  }

  @Override
  public void end(byte[] b, int from, int to, Receiver receiver) {
    Frames known = chosen;
    if (known != null) {
      known.end(b, from, to, receiver);
    } else if (from < to && !ended) {
      receiver.frame(b, from, to);
    }
  }

  @Override
  public boolean ended() {
    Frames known = chosen;
    return ended || known != null && known.ended();
  }

  @Override
  public void begin(Output out) {
    writer().begin(out);
  }

  /** A frame begun before the peer showed its framing has no room for the marks of that one. */
  @Override
  public void finish(Output out, int start) {
    Frames writer = writer();
    boolean begunAsText = out.size() == start || isText(out.array()[start]);
    if (begunAsText && !isText(writer.framing())) {
      byte[] message = Arrays.copyOfRange(out.array(), start, out.size());
      out.truncate(start);
      writer.begin(out);
      out.raw(message);
    }
    writer.finish(out, start);
  }

  /** Whether a frame that begins so was begun as text, by the rule of {@link #start}. */
  private static boolean isText(byte first) {
    return first != 0 && first != RS && first != 'C';
  }

  private static boolean isText(Framing framing) {
    return framing == Framing.LINES || framing == Framing.CONCATENATED;
  }

  private Frames writer() {
    Frames known = chosen;
    return known == null ? lines : known;
  }

  @Override
  public Framing framing() {
    Frames known = chosen;
    return known == null ? Framing.AUTO : known.framing();
  }
}

package dev.repartee.framing;

import dev.repartee.internal.Bytes;
import dev.repartee.json.JsonScanner;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.Limits;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The framing {@link Framing#AUTO}: chooses a framing by the first bytes of the peer. */
final class AutoFrames implements Frames {
  /*
   * Implementation note. The states while no framing is chosen:
   *
   *   START --'{' or '['--> VALUE --end of the value--> AFTER
   *
   * Each state can choose a framing, and that framing then handles all further input:
   *
   *   START  RS: json-seq; 'C' or 'c': content-length; 0: length-prefix; other text: lines
   *   VALUE  a line end inside the first value: lines
   *   AFTER  a line end: lines; another byte: concatenated, if the first value was JSON
   *
   * The reading thread makes the choice once. Writers read the volatile field chosen, and write
   * lines until the choice is made.
   *
   * The channel replaces this object by its successor after the read that made the choice. Until
   * then the methods below forward to the successor, and so they do for writers that still use this
   * object.
   */

  private static final int RS = 0x1E;
  private static final int DELETE = 0x7F;

  private enum Place {
    /** Before the first byte of a message. */
    START,
    /** In the first value, an object or array. */
    VALUE,
    /** After the first value, on the same line. */
    AFTER
  }

  private final Limits limits;
  private final StreamPreamble leadIn = new StreamPreamble(true);
  private final LineFrames lines;

  private volatile @Nullable Frames chosen;
  private Place place = Place.START;

  /** Whether a byte order mark was skipped at the start of the stream. */
  private boolean marked;

  /** The nesting state of the first value, kept between two reads. */
  private @Nullable ValueScanner nesting;

  /** The number of bytes of the value that were searched for its end. */
  private int looked;

  /** Whether the value is too large and is skipped. */
  private boolean skipping;

  /** Whether the value was JSON, so that its end was found correctly. */
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

  /*
   * Each of the following methods returns the index at which the next step continues, or its
   * bitwise complement if the step needs more input from there on.
   */

  private int start(byte[] b, int from, int to, Receiver receiver) {
    int i = leadIn.skip(b, from, to);
    int mark = marked ? 0 : JsonScanner.marked(b, i, to);
    if (mark == JsonScanner.MARK) {
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
   * Chooses by a byte that no message begins with. Printable text counts as a line: it is rejected
   * at its end, and the next line may be a message. Any other first byte ends the connection,
   * because the end of such a message could not be found.
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
    ValueScanner value = nesting == null ? new ValueScanner() : nesting;
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
  public void begin(JsonWriter out) {
    writer().begin(out);
  }

  /**
   * {@inheritDoc}
   *
   * <p>A frame that was begun before the framing was chosen was begun as a line, without room for a
   * prefix. It is begun again here if the chosen framing has a prefix.
   */
  @Override
  public void finish(JsonWriter out, int start) {
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

  /**
   * Returns whether a frame with that first byte was begun as text, by the rule of {@link #start}.
   */
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
  public Frames successor() {
    Frames known = chosen;
    return known == null ? this : known;
  }

  @Override
  public Framing framing() {
    Frames known = chosen;
    return known == null ? Framing.AUTO : known.framing();
  }
}

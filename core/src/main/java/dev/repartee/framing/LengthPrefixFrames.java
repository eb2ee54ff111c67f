package dev.repartee.framing;

import dev.repartee.json.JsonWriter;
import dev.repartee.limits.Limits;

/** The framing with a length prefix: four bytes, unsigned and big-endian, before each message. */
final class LengthPrefixFrames implements Frames {
  private static final int PREFIX = 4;
  private static final int UNKNOWN = -1;

  private final int max;

  /** The length of the current message, or {@link #UNKNOWN} before its prefix was consumed. */
  private int length = UNKNOWN;

  /** The number of bytes still to skip of a message that was too large. */
  private long skip;

  LengthPrefixFrames(Limits limits) {
    this.max = limits.frameBytes();
  }

  @Override
  public int read(byte[] b, int from, int to, Receiver receiver) {
    int i = from;
    while (receiver.ready()) {
      if (skip > 0) {
        int skipped = (int) Math.min(skip, to - i);
        skip -= skipped;
        i += skipped;
        if (skip > 0) {
          break;
        }
      }
      if (length == UNKNOWN) {
        if (to - i < PREFIX) {
          break;
        }
        prefix(unsigned(b, i), receiver);
        i += PREFIX;
      } else {
        if (to - i < length) {
          break;
        }
        int start = i;
        i += length;
        length = UNKNOWN;
        receiver.frame(b, start, i);
      }
    }
    return i;
  }

  private void prefix(long announced, Receiver receiver) {
    if (announced < max) {
      length = (int) announced;
    } else {
      skip = announced;
      receiver.fault(FrameFault.tooLarge(max));
    }
  }

  private static long unsigned(byte[] b, int i) {
    return (b[i] & 0xFFL) << 24
        | (b[i + 1] & 0xFF) << 16
        | (b[i + 2] & 0xFF) << 8
        | b[i + 3] & 0xFF;
  }

  @Override
  public void end(byte[] b, int from, int to, Receiver receiver) {
    if (skip == 0 && (length != UNKNOWN || from < to)) {
      String where = length == UNKNOWN ? "a length prefix" : "a message of " + length + " bytes";
      receiver.fault(FrameFault.unreadable(
          "the stream ended inside " + where + ", of which " + (to - from)
              + " bytes had arrived; send it whole before closing",
          to));
    }
  }

  @Override
  public boolean ended() {
    return false;
  }

  @Override
  public void begin(JsonWriter out) {
    out.put(0).put(0).put(0).put(0);
  }

  @Override
  public void finish(JsonWriter out, int start) {
    byte[] b = out.array();
    int size = out.size() - start - PREFIX;
    b[start] = (byte) (size >>> 24);
    b[start + 1] = (byte) (size >>> 16);
    b[start + 2] = (byte) (size >>> 8);
    b[start + 3] = (byte) size;
  }

  @Override
  public Framing framing() {
    return Framing.LENGTH_PREFIX;
  }
}

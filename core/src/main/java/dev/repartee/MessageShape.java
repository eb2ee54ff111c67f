package dev.repartee;

/**
 * How a message looked but for the values of its id, params, result and error: the text before, between
 * and behind these. Who talks to us repeats itself, so the next message mostly looks the same, and what
 * is the same to the byte needs no second reading. Reused; for one thread.
 */
final class MessageShape {
  /** Longer texts are not kept. */
  private static final int TEXT = 120;

  /** No message of ours has more: an id, and params, a result or an error. */
  private static final int PARTS = 3;

  private static final int[] VARIABLE = {JsonRpc.ID, JsonRpc.PARAMS, JsonRpc.RESULT, JsonRpc.ERROR};

  /** All parts in a row, and room to read a word at the end. */
  private final byte[] text = new byte[TEXT + 8];

  private final int[] ends = new int[PARTS];
  private final int[] members = new int[PARTS];
  private int parts;
  private int depth;
  private int kind;
  private int methodAt;
  private int methodLength;

  /**
   * Takes the shape of the message {@code b[from, to)} at that depth, which is the last that {@code in}
   * holds.
   */
  void learn(byte[] b, int from, int to, int depth, Inbound in) {
    parts = 0;
    this.depth = depth;
    int last = in.count() - 1;
    kind = in.kind(last);
    if (kind == Inbound.INVALID || in.isFlawed(last) || in.methodEscaped(last)) {
      return;
    }
    int size = 0;
    int count = 0;
    for (int i = from, member = -1; member != 0; count++) {
      member = next(in, last, i);
      int end = member == 0 ? to : JsonRpc.from(in, last, member);
      if (count == PARTS || size + end - i > TEXT) {
        return;
      }
      System.arraycopy(b, i, text, size, end - i);
      if (in.methodFrom(last) >= i && in.methodFrom(last) < end) {
        methodAt = size + in.methodFrom(last) - i;
      }
      size += end - i;
      ends[count] = size;
      members[count] = member;
      i = member == 0 ? to : JsonRpc.to(in, last, member);
    }
    methodLength = in.methodTo(last) - in.methodFrom(last);
    parts = count;
  }

  /** The member that has the next value behind {@code i}, 0 if none has. */
  private static int next(Inbound in, int message, int i) {
    int next = 0;
    for (int member : VARIABLE) {
      int from = JsonRpc.from(in, message, member);
      boolean stands = from >= i && from < JsonRpc.to(in, message, member);
      if (stands && (next == 0 || from < JsonRpc.from(in, message, next))) {
        next = member;
      }
    }
    return next;
  }

  /** Whether the text does not nest too deep there: further down than it was learned it might. */
  boolean isKnownAt(int depth) {
    return depth <= this.depth;
  }

  /** Whether the text of that part stands at {@code b[i, to)}. */
  boolean stands(int part, byte[] b, int i, int to) {
    int at = start(part);
    int length = length(part);
    if (part >= parts || length > to - i) {
      return false;
    }
    int k = 0;
    for (; k + 8 <= length; k += 8) {
      if (Bytes.word(text, at + k) != Bytes.word(b, i + k)) {
        return false;
      }
    }
    if (k < length && i + k + 8 <= b.length) {
      long differing = Bytes.word(text, at + k) ^ Bytes.word(b, i + k);
      return differing << 64 - 8 * (length - k) == 0;
    }
    while (k < length && text[at + k] == b[i + k]) {
      k++;
    }
    return k == length;
  }

  private int start(int part) {
    return part == 0 ? 0 : ends[part - 1];
  }

  int length(int part) {
    return ends[part] - start(part);
  }

  /** Whose value follows that part; 0 at the end. */
  int member(int part) {
    return members[part];
  }

  /** The kind of the message. */
  int kind() {
    return kind;
  }

  /** Notes the method's name in the last message, if it stands in that part, which stands at i. */
  void noteMethod(int part, int i, Inbound in) {
    if (methodLength > 0 && methodAt >= start(part) && methodAt < ends[part]) {
      int from = i + methodAt - start(part);
      in.method(from, from + methodLength, false);
    }
  }
}

package dev.repartee;

import dev.repartee.internal.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The text of a message without the values of its id, params, result and error. A sender writes the
 * same text around these values again and again. If the next message repeats it byte for byte, the
 * decoder compares this text and parses only the values. Reused; for one thread.
 */
final class MessageShape {
  // Implementation note.
  //
  // Example, with the variable values in angle brackets:
  //
  //   {"jsonrpc":"2.0","method":"add","params":<[1,2]>,"id":<7>}
  //    \_____________ part 0 _________________/       \_1_/    2
  //
  // A part is the text up to the next variable value, or to the end of the message. The version,
  // the method name and members that JSON-RPC does not define belong to the text, so a shape is
  // valid for one method. That is why a message that matches needs no further check of its members:
  // the text contains exactly the members that classify() accepted when the shape was learned. Only
  // the values are scanned and checked again (JsonRpc.shaped), and a wrong value leads back to the
  // full parse.
  //
  // Only valid messages are learned; a shape with parts == 0 matches nothing. Names with escapes
  // are not learned, because the range of the method name is recorded as plain text.
  //
  // The text itself may contain nested values, of unknown members. They were validated at the depth
  // at which the shape was learned. In a batch the same message stands one level deeper and may
  // exceed Limits.depth, hence isKnownAt().
  //
  // ParsedFrame keeps a small table of shapes, indexed by a hash of the bytes at the usual place of
  // the method name. A collision replaces a shape; it cannot cause a wrong match, because every
  // byte is compared.

  /** The maximum length of the text in bytes; a message with more text is not learned. */
  private static final int TEXT = 120;

  /** The maximum number of parts: those around an id, and around params, a result or an error. */
  private static final int PARTS = 3;

  /** The members with values that vary; the text contains the values of all others. */
  private static final MessageMember[] VARIABLE = {
    MessageMember.ID, MessageMember.PARAMS, MessageMember.RESULT, MessageMember.ERROR
  };

  /** All parts in a row, with room to read a whole word at the end. */
  private final byte[] text = new byte[TEXT + 8];

  /** The index in {@link #text} behind each part. */
  private final int[] ends = new int[PARTS];

  /** The member of the value behind each part; null behind the last part. */
  private final @Nullable MessageMember[] members = new MessageMember[PARTS];

  /** The number of parts; 0 if no message was learned. */
  private int parts;

  private int depth;
  private int kind;

  /** The index of the method name in {@link #text}. */
  private int methodAt;

  /** The length of the method name; 0 for a response. */
  private int methodLength;

  /**
   * Replaces this shape by that of the message {@code b[from, to)} at this depth, the last message
   * in {@code in}.
   */
  void learn(byte[] b, int from, int to, int depth, ParsedFrame in) {
    parts = 0;
    this.depth = depth;
    int last = in.count() - 1;
    kind = in.kind(last);
    if (kind == ParsedFrame.INVALID || in.isFlawed(last) || in.methodEscaped(last)) {
      return;
    }
    int size = 0;
    int count = 0;
    for (int i = from; i >= 0; count++) {
      MessageMember member = next(in, last, i);
      int end = member == null ? to : in.from(last, member);
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
      i = member == null ? -1 : in.to(last, member);
    }
    methodLength = in.methodTo(last) - in.methodFrom(last);
    parts = count;
  }

  /** Returns the member of the first variable value from {@code i} on; null if there is none. */
  private static @Nullable MessageMember next(ParsedFrame in, int message, int i) {
    MessageMember next = null;
    for (MessageMember member : VARIABLE) {
      int from = in.from(message, member);
      boolean stands = from >= i && from < in.to(message, member);
      if (stands && (next == null || from < in.from(message, next))) {
        next = member;
      }
    }
    return next;
  }

  /**
   * Returns whether the shape can be used at this depth: its text was validated at least as deep.
   */
  boolean isKnownAt(int depth) {
    return depth <= this.depth;
  }

  /** Returns whether {@code b[i, to)} starts with the text of this part. */
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

  /** Returns the member of the value that follows this part; null behind the last part. */
  @Nullable MessageMember member(int part) {
    return members[part];
  }

  /** Returns the kind of the learned message. */
  int kind() {
    return kind;
  }

  /**
   * Records the range of the method name in the last message, if this part, found at i, contains
   * it.
   */
  void noteMethod(int part, int i, ParsedFrame in) {
    if (methodLength > 0 && methodAt >= start(part) && methodAt < ends[part]) {
      int from = i + methodAt - start(part);
      in.method(from, from + methodLength, false);
    }
  }
}

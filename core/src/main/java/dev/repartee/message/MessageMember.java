package dev.repartee.message;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.repartee.internal.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The members of a message that JSON-RPC defines, with their names, bits and positions. */
enum MessageMember {
  VERSION("jsonrpc", MessageMember.NONE),
  ID("id", ParsedFrame.ID),
  METHOD("method", ParsedFrame.METHOD),
  PARAMS("params", ParsedFrame.PARAMS),
  RESULT("result", ParsedFrame.RESULT),
  ERROR("error", ParsedFrame.ERROR);

  // Implementation note.
  //
  // The decoder looks up each name of each message. No name is longer than seven bytes: a name and
  // its closing quote fit into one word. One masked comparison of a word replaces the search for
  // the closing quote, the test for escapes and the comparison of bytes. The closing quote is part
  // of the word; without it, "ids" would match "id".
  //
  // A cache of the text around the values, which repeats from message to message, was tried, too:
  // since names are found by words, decoding without it is faster.
  //
  // The low four bits of the first letter are different for all six names. These bits are a perfect
  // hash: a name is compared with at most one member.

  /** The field of a member without a recorded position. */
  private static final int NONE = -1;

  private static final int LETTERS = 15;

  /** The members by the low four bits of the first letter of their names. */
  private static final @Nullable MessageMember[] BY_LETTER = new MessageMember[LETTERS + 1];

  static {
    for (MessageMember member : values()) {
      BY_LETTER[member.name[0] & LETTERS] = member;
    }
  }

  /** The bit of this member in a set of members. */
  final int bit = 1 << ordinal();

  /** The length of the name with its closing quote. */
  final int length;

  /** The field for the position of the value, in the table of a {@link ParsedFrame}. */
  final int field;

  private final byte[] name;

  /** The name with its closing quote, padded with zeros. */
  private final long word;

  /** The bytes of a word that are compared. */
  private final long mask;

  MessageMember(String name, int field) {
    this.name = name.getBytes(US_ASCII);
    this.length = name.length() + 1;
    this.field = field;
    this.word = Bytes.word(Arrays.copyOf((name + '"').getBytes(US_ASCII), 8), 0);
    this.mask = -1L >>> 64 - 8 * length;
  }

  /**
   * Returns the member with the name in the first bytes of {@code word}, which end with its closing
   * quote; null if JSON-RPC defines no such member.
   */
  static @Nullable MessageMember at(long word) {
    MessageMember member = BY_LETTER[(int) word & LETTERS];
    return member != null && (word & member.mask) == member.word ? member : null;
  }

  /**
   * Returns the member with the name {@code b[from, to)}, which has no escapes; null if JSON-RPC
   * defines no such member.
   */
  static @Nullable MessageMember named(byte[] b, int from, int to) {
    MessageMember member = from == to ? null : BY_LETTER[b[from] & LETTERS];
    boolean same = member != null && Arrays.equals(b, from, to, member.name, 0, member.name.length);
    return same ? member : null;
  }

  /** Returns whether this member belongs to a set of members. */
  boolean isIn(int members) {
    return (members & bit) != 0;
  }

  /** Returns the first member of a set of members that is not empty. */
  static MessageMember first(int members) {
    return values()[Integer.numberOfTrailingZeros(members)];
  }

  /** Returns the name, such as {@code jsonrpc}. */
  String label() {
    return new String(name, US_ASCII);
  }

  /** Returns the name in single quotes, for messages to people. */
  @Override
  public String toString() {
    return "'" + label() + "'";
  }
}

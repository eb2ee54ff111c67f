package dev.repartee;

import org.jspecify.annotations.Nullable;

/** A place in valid JSON text that moves from value to value. For one thread. */
final class Cursor {
  private static final char[] NO_CHARS = {};

  /** The default size of a list. */
  private static final int SEVERAL = 10;

  /** The most elements that room is made for before they are read. */
  private static final int MANY = 250;

  byte[] bytes;
  int at;
  int to;
  private @Nullable Slots slots;
  private char[] chars = NO_CHARS;
  private boolean guessed;

  Cursor(byte[] bytes, int at, int to) {
    this.bytes = bytes;
    this.at = at;
    this.to = to;
  }

  /** Moves to another text, and forgets what the last reading left behind. */
  Cursor move(byte[] bytes, int at, int to) {
    this.bytes = bytes;
    this.at = at;
    this.to = to;
    this.slots = null;
    this.chars = NO_CHARS;
    this.guessed = false;
    return this;
  }

  /** Where records keep what they hold until they are made. */
  Slots slots() {
    Slots own = slots;
    if (own == null) {
      own = new Slots();
      slots = own;
    }
    return own;
  }

  /** Room for that many characters, for one string at a time. */
  char[] chars(int length) {
    if (chars.length < length) {
      chars = new char[2 * length];
    }
    return chars;
  }

  /** Steps over any value and answers the index behind it. */
  int skip() {
    at = Math.min(Scanner.skip(bytes, at), to);
    return at;
  }

  /** Steps over any value. */
  <T> @Nullable T nothing() {
    skip();
    return null;
  }

  /** Whether a number that goes up to {@code i} ends there. */
  boolean endsAt(int i) {
    return i == to || !Scanner.isScalarByte(bytes[i]);
  }

  /** Steps over {@code null}, if that is what stands here. */
  boolean isNull() {
    boolean isNull = bytes[at] == 'n';
    if (isNull) {
      at += 4;
    }
    return isNull;
  }

  /** Steps into an array or object. */
  void enter(char bracket, String expected) {
    if (bytes[at] != bracket) {
      throw JsonException.expected(expected, bytes, at);
    }
    at++;
  }

  /** Steps to the next element or member, or behind the closing bracket where there is none. */
  boolean more() {
    at = space(at);
    byte c = bytes[at];
    if (c == ']' || c == '}') {
      at++;
      return false;
    }
    if (c == ',') {
      at = space(at + 1);
    }
    return true;
  }

  /**
   * Returns how many elements to make room for in an array whose first one began at {@code first} and
   * was just read. One array of each reading gets room for as many as the rest of the text may hold.
   * Nested ones do not, nor does any array get room for what earlier messages held: then a few bytes
   * could take much memory at each level.
   */
  int room(int first) {
    if (atEnd()) {
      return 1;
    }
    int room = guessed ? SEVERAL : Math.min(MANY, (to - at) / (at - first + 1) + 1);
    guessed = true;
    return room;
  }

  /** Returns whether the closing bracket comes next, so that {@link #more} will find nothing. */
  boolean atEnd() {
    at = space(at);
    return bytes[at] == ']' || bytes[at] == '}';
  }

  /** Steps behind a member's name and colon; answers the index of the name's closing quote. */
  int name() {
    int end = Scanner.skipString(bytes, at);
    at = Scanner.colon(bytes, end, to);
    return end - 1;
  }

  /** Reads a value and steps behind it. */
  <T extends @Nullable Object> T value(JsonType<T> type) {
    if (type instanceof CursorType<T> own) {
      return own.read(this);
    }
    int from = at;
    return type.read(bytes, from, skip());
  }

  /** Reads an element of an array. */
  <T extends @Nullable Object> T element(JsonType<T> type, int index) {
    try {
      return value(type);
    } catch (JsonException e) {
      throw e.in("element " + index);
    }
  }

  /** Reads the value of a member. */
  <T extends @Nullable Object> T member(JsonType<T> type, String name) {
    try {
      return value(type);
    } catch (JsonException e) {
      throw e.in("member " + Names.quote(name));
    }
  }

  private int space(int i) {
    return Scanner.space(bytes, i, to);
  }
}

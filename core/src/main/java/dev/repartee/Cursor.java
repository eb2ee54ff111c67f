package dev.repartee;

import org.jspecify.annotations.Nullable;

/** A place in valid JSON text that moves from value to value. For one thread. */
final class Cursor {
  private static final char[] NO_CHARS = {};

  byte[] bytes;
  int at;
  int to;
  private @Nullable Slots slots;
  private char[] chars = NO_CHARS;

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

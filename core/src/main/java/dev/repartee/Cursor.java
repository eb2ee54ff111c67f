package dev.repartee;

import org.jspecify.annotations.Nullable;

/** A place in valid JSON text that moves from value to value. For one thread and one reading. */
final class Cursor {
  final byte[] bytes;
  int at;

  Cursor(byte[] bytes, int at) {
    this.bytes = bytes;
    this.at = at;
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
    at = Scanner.colon(bytes, end, bytes.length);
    return end - 1;
  }

  /** Reads a value and steps behind it. */
  <T extends @Nullable Object> T value(JsonType<T> type) {
    if (type instanceof Structured<T> structured) {
      return structured.read(this);
    }
    int from = at;
    at = Scanner.skip(bytes, from);
    return type.read(bytes, from, at);
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
    return Scanner.space(bytes, i, bytes.length);
  }
}

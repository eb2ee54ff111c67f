package dev.repartee.json;

import java.util.Iterator;
import java.util.NoSuchElementException;

/** Iterates over the elements of an array. Creates each element when it is asked for. */
final class ElementIterator implements Iterator<Json> {
  private final byte[] bytes;
  private final int end;

  /** The index of the next element; negative if there is none. */
  private int at;

  /** Begins before the first element; a value of another kind has none. */
  ElementIterator(Json array) {
    this.bytes = array.source();
    this.end = array.end();
    this.at =
        array.kind() == Json.Kind.ARRAY ? JsonScanner.first(bytes, array.start(), end, ']') : -1;
  }

  @Override
  public boolean hasNext() {
    return at >= 0;
  }

  @Override
  public Json next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    int from = at;
    return Json.slice(bytes, from, skip());
  }

  /** Skips the next element; returns the index after it. */
  private int skip() {
    int to = JsonScanner.skip(bytes, at);
    at = JsonScanner.next(bytes, to, end, ']');
    return to;
  }

  /** Skips all elements that are left; returns their number. */
  int count() {
    int count = 0;
    for (; hasNext(); count++) {
      skip();
    }
    return count;
  }
}

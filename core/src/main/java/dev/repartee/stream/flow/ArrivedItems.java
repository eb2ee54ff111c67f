package dev.repartee.stream.flow;

import dev.repartee.json.Json;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;

/**
 * The items that have arrived and were not delivered, in order. The items of an array stay text
 * until they are removed, since an array of many small items is much larger in memory than its
 * text. Not thread-safe.
 */
final class ArrivedItems {
  /** The memory in bytes that a text needs in addition to its length. */
  private static final int OVERHEAD = 128;

  /** The items of one text. It stays in memory until its last item is removed. */
  private static final class Text {
    final Iterator<Json> items;
    final long weight;
    int left;

    Text(Iterator<Json> items, int left, long weight) {
      this.items = items;
      this.left = left;
      this.weight = weight;
    }
  }

  private final Queue<Text> texts = new ArrayDeque<>();
  private int size;
  private long weight;

  /**
   * Adds the first items of a text.
   *
   * @param items the items in the text, at least {@code count}
   */
  void add(Json text, Iterator<Json> items, int count) {
    if (count > 0) {
      Text added = new Text(items, count, text.length() + OVERHEAD);
      texts.add(added);
      size += count;
      weight += added.weight;
    }
  }

  /** Removes the first item. There must be one. */
  Json remove() {
    Text first = texts.element();
    Json item = first.items.next();
    size--;
    first.left--;
    if (first.left == 0) {
      texts.remove();
      weight -= first.weight;
    }
    return item;
  }

  void clear() {
    texts.clear();
    size = 0;
    weight = 0;
  }

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Returns the memory in bytes that the items occupy. */
  long weight() {
    return weight;
  }
}

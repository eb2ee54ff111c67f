package dev.repartee.json;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A JSON array as a list, or as a set in the order of first appearance. Writes any {@link
 * Iterable}.
 *
 * @param <E> the type of the elements
 */
final class ListType<E extends @Nullable Object> extends StreamingType<@Nullable Iterable<E>> {
  /**
   * The maximum number of different elements of a set with the same hash code. A hash table
   * compares each of them with all others, and a peer can easily construct such elements, for
   * example the lists {@code [0,31]} and {@code [1,0]}. Comparable elements do not count, since the
   * table sorts them.
   */
  private static final int SAME_HASH = 250;

  private final boolean set;
  private final JsonType<E> element;

  ListType(boolean set, JsonType<E> element) {
    this.set = set;
    this.element = element;
  }

  @Override
  public @Nullable Iterable<E> read(JsonReader c) {
    if (c.isNull()) {
      return null;
    }
    c.enter('[', "an array");
    if (!c.more()) {
      return set ? new LinkedHashSet<>(0) : new ArrayList<>(0);
    }
    int from = c.at;
    E first = c.element(element, 0);
    int room = c.room(from);
    ArrayList<E> elements = new ArrayList<>(room);
    elements.add(first);
    for (int size = 1; c.more(); size++) {
      elements.add(c.element(element, size));
    }
    if (set) {
      return toSet(elements);
    }
    if (elements.size() < room / 2) {
      elements.trimToSize();
    }
    return elements;
  }

  /** Returns a set with the smallest table that fits: the default table has 16 buckets. */
  private static <E extends @Nullable Object> Set<E> toSet(List<E> elements) {
    Set<E> set = new LinkedHashSet<>((elements.size() * 4 + 2) / 3);
    Map<Integer, Integer> common = commonHashes(elements);
    for (E element : elements) {
      if (set.add(element) && !common.isEmpty() && hasHash(element)) {
        Integer count = common.computeIfPresent(Objects.hashCode(element), (hash, n) -> n + 1);
        if (count != null && count > SAME_HASH) {
          throw JsonException.unfit("more than " + SAME_HASH
              + " elements of a set have the same hash code; send fewer of them in one set");
        }
      }
    }
    return set;
  }

  /**
   * Returns the hash codes that more than {@link #SAME_HASH} elements have, each with a count of 0.
   * These elements may still be equal to each other; {@link #toSet} counts the different ones.
   */
  private static Map<Integer, Integer> commonHashes(List<?> elements) {
    if (elements.size() <= SAME_HASH) {
      return Map.of();
    }
    int[] hashes = new int[elements.size()];
    int size = 0;
    for (Object element : elements) {
      if (hasHash(element)) {
        hashes[size++] = Objects.hashCode(element);
      }
    }
    Arrays.sort(hashes, 0, size);
    Map<Integer, Integer> common = new HashMap<>();
    for (int i = SAME_HASH; i < size; i++) {
      if (hashes[i] == hashes[i - SAME_HASH]) {
        common.put(hashes[i], 0);
      }
    }
    return common;
  }

  private static boolean hasHash(@Nullable Object element) {
    return element != null && !(element instanceof Comparable);
  }

  @Override
  public void write(JsonWriter out, @Nullable Iterable<E> value) {
    if (value == null) {
      out.nil();
      return;
    }
    out.open('[');
    for (Iterator<E> i = value.iterator(); i.hasNext(); ) {
      element.write(out, i.next());
      if (i.hasNext()) {
        out.put(',');
      }
    }
    out.close(']');
  }

  @Override
  public Json schema() {
    return Schemas.array(element.schema());
  }

  @Override
  public Json schema(SchemaDefinitions definitions) {
    return Schemas.array(element.schema(definitions));
  }
}

package dev.repartee;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A list, or a set that keeps the order of first appearance. Written from anything iterable. */
final class ListType<E extends @Nullable Object> extends CursorType<@Nullable Iterable<E>> {
  private final boolean set;
  private final JsonType<E> element;

  ListType(boolean set, JsonType<E> element) {
    this.set = set;
    this.element = element;
  }

  @Override
  @Nullable Iterable<E> read(Cursor c) {
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

  /** Returns a set with the smallest table that holds the elements: the default one has 16 buckets. */
  private static <E extends @Nullable Object> Set<E> toSet(List<E> elements) {
    Set<E> set = new LinkedHashSet<>((elements.size() * 4 + 2) / 3);
    set.addAll(elements);
    return set;
  }

  @Override
  public void write(Output out, @Nullable Iterable<E> value) {
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
}

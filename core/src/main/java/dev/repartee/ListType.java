package dev.repartee;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import org.jspecify.annotations.Nullable;

/** A list, or a set that keeps the order of first appearance. Written from anything iterable. */
final class ListType<E extends @Nullable Object> extends CursorType<@Nullable Iterable<E>> {
  private static final int MOST = 1_000;

  private final boolean set;
  private final JsonType<E> element;

  /** The size of the list read last: a hint to all threads. */
  private int usual;

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
    Collection<E> elements = set ? new LinkedHashSet<>() : new ArrayList<>(usual);
    int size = 0;
    while (c.more()) {
      elements.add(c.element(element, size++));
    }
    usual = Math.min(size, MOST);
    return elements;
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

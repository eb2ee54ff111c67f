package dev.repartee.internal;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A hash table of entries with {@code long} keys. Several entries may have the same key. Not
 * thread-safe.
 *
 * <p>A key is a consecutive number or a well-mixed hash code. With a hash code the user compares
 * the entries of {@link #find} and {@link #next} itself. The table calls no method of its entries:
 * with several types of entries such a call would be megamorphic.
 *
 * @param <E> the type of the entries. An entry is in one table at most
 */
public final class HashTable<E extends HashTable.Entry<E>> {
  /*
   * Implementation note. A chained hash table, doubly linked through the entries themselves. The
   * JDK's maps were measured in its place (JDK 17, tables of 1 to 1,000 entries):
   *
   *   add and remove a pending call, under a lock    HashTable           35 ns,   0 bytes
   *                                                  HashMap            120 ns,  56 bytes
   *                                                  ConcurrentHashMap  220 ns,  80 bytes
   *   add and remove a request by its id             HashTable           70 ns,   0 bytes
   *                                                  HashMap            120 ns,  56 to 80 bytes
   *   look up a method by the bytes of its name      HashTable           50 ns,   0 bytes
   *                                                  HashMap             70 ns,  up to 24 bytes
   *
   * A map allocates a node for each entry and an object for each key. The JIT compiler eliminates
   * the key of a look-up only sometimes; with such a map, an inline call would allocate memory.
   *
   * Invariants:
   * - buckets.length is a power of two, or 0 until the first entry (idle connections stay small).
   *   The low bits of the key index it.
   * - A chain is ordered from the newest entry to the oldest, also after grow(). Entries may share
   *   a key, and find() returns the newest one.
   * - An entry has a previous neighbour, or is the head of its bucket, or is in no table. These
   *   links allow a second remove() of an entry, and a remove() in constant time. That matters for
   *   hostile input: a peer may give thousands of requests the same id, and they all share one
   *   bucket. With a singly linked chain each of them would walk past the others when it ends.
   */

  /** The key of an entry and its neighbours in the bucket. Only the table changes these fields. */
  public abstract static class Entry<E extends Entry<E>> {
    public long key;

    @Nullable public E nextInBucket;

    @Nullable public E previousInBucket;
  }

  private static final int SMALLEST = 4;
  private static final @Nullable Entry<?>[] NONE = new Entry<?>[0];

  private @Nullable E[] buckets = cast(NONE);
  private int size;

  @SuppressWarnings("unchecked") // the arrays contain only entries of type E
  private static <E extends Entry<E>> @Nullable E[] cast(@Nullable Entry<?>[] buckets) {
    return (@Nullable E[]) buckets;
  }

  /** Adds an entry that is in no table. */
  public void add(long key, E entry) {
    if (size == buckets.length) {
      grow();
    }
    entry.key = key;
    link(entry);
    size++;
  }

  private void link(E entry) {
    int bucket = bucket(entry.key);
    E head = buckets[bucket];
    entry.nextInBucket = head;
    entry.previousInBucket = null;
    if (head != null) {
      head.previousInBucket = entry;
    }
    buckets[bucket] = entry;
  }

  private void grow() {
    @Nullable E[] old = buckets;
    buckets = cast(new Entry<?>[Math.max(SMALLEST, old.length * 2)]);
    for (E head : old) {
      // Start with the oldest: link() inserts at the head, and the newest must be found first.
      for (E e = last(head); e != null; ) {
        E later = e.previousInBucket;
        link(e);
        e = later;
      }
    }
  }

  private static <E extends Entry<E>> @Nullable E last(@Nullable E head) {
    E last = head;
    for (E e = head; e != null; e = e.nextInBucket) {
      last = e;
    }
    return last;
  }

  /** Returns whether an entry is in this table rather than in none. */
  public boolean contains(E entry) {
    return entry.previousInBucket != null || size > 0 && buckets[bucket(entry.key)] == entry;
  }

  /** Removes an entry; returns whether it was in this table rather than in none. */
  public boolean remove(E entry) {
    if (!contains(entry)) {
      return false;
    }
    E before = entry.previousInBucket;
    E after = entry.nextInBucket;
    if (before != null) {
      before.nextInBucket = after;
    } else {
      buckets[bucket(entry.key)] = after;
    }
    if (after != null) {
      after.previousInBucket = before;
    }
    entry.previousInBucket = null;
    entry.nextInBucket = null;
    size--;
    return true;
  }

  /** Returns the newest entry with that key, or null if there is none. */
  @Nullable public E find(long key) {
    return size == 0 ? null : find(key, buckets[bucket(key)]);
  }

  /** Returns the newest entry that is older than this one and has its key, or null. */
  @Nullable public E next(E entry) {
    return find(entry.key, entry.nextInBucket);
  }

  private static <E extends Entry<E>> @Nullable E find(long key, @Nullable E first) {
    E e = first;
    while (e != null && e.key != key) {
      e = e.nextInBucket;
    }
    return e;
  }

  public int size() {
    return size;
  }

  /** Passes each entry to an action, which must not change the table. */
  public void forEach(Consumer<? super E> action) {
    for (E head : buckets) {
      for (E e = head; e != null; e = e.nextInBucket) {
        action.accept(e);
      }
    }
  }

  private int bucket(long key) {
    return (int) key & buckets.length - 1;
  }
}

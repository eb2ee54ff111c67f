package dev.repartee.security;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A table of bounded size that forgets the entries that were not used for longest. It has two
 * generations: a used entry moves to the young one; when that has half of the entries, the old one
 * is discarded and the young one becomes old. Reading acquires no lock. Thread-safe.
 *
 * <p>Rejected: a linked list in the order of use, which every look-up would have to lock.
 *
 * @param <K> the keys
 * @param <V> the values
 */
final class Generations<K, V> {
  private final int half;
  private final Predicate<? super V> kept;

  /** Both are replaced under the lock of this. */
  private volatile Map<K, V> young = new ConcurrentHashMap<>();

  private volatile Map<K, V> old = Map.of();

  /** The size of the young generation that ends it. Guarded by the lock of this. */
  private int full;

  /** Creates an empty table. */
  Generations(int entries) {
    this(entries, value -> false);
  }

  /**
   * Creates an empty table.
   *
   * @param entries the maximum number of entries
   * @param kept decides about values that must not be forgotten. They count toward no limit; the
   *     user limits their number
   */
  Generations(int entries, Predicate<? super V> kept) {
    this.half = Math.max(1, entries / 2);
    this.full = half;
    this.kept = kept;
  }

  /** Returns the value of a key; null if there is none. */
  @Nullable V get(K key) {
    V value = young.get(key);
    if (value != null) {
      return value;
    }
    value = old.get(key);
    if (value != null) {
      V newer = insert(key, value);
      return newer == null ? value : newer;
    }
    return null;
  }

  /** Returns the value of a key; makes it if there is none. */
  V getOrMake(K key, Function<? super K, ? extends V> make) {
    V value = get(key);
    if (value != null) {
      return value;
    }
    V made = make.apply(key);
    V present = insert(key, made);
    return present == null ? made : present;
  }

  /** Replaces the value of a key. */
  void put(K key, V value) {
    synchronized (this) {
      young.put(key, value);
      rotate();
    }
  }

  /** Removes a key. */
  void remove(K key) {
    synchronized (this) {
      young.remove(key);
      if (!old.isEmpty()) {
        old.remove(key);
      }
    }
  }

  /** Returns the number of entries; an entry of both generations counts twice. */
  int size() {
    return young.size() + old.size();
  }

  private synchronized @Nullable V insert(K key, V value) {
    V present = young.get(key);
    if (present == null) {
      present = old.get(key); // may be newer than the value, if the generations have changed
      young.put(key, present == null ? value : present);
      rotate();
    }
    return present;
  }

  private void rotate() {
    if (young.size() < full) {
      return;
    }
    Map<K, V> next = new ConcurrentHashMap<>();
    old.forEach((key, value) -> {
      if (kept.test(value)) {
        next.put(key, value);
      }
    });
    old = young;
    full = next.size() + half; // kept entries must not cause a rotation for each new one
    young = next;
  }
}

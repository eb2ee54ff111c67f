package dev.repartee.internal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * A value for each name, up to a maximum number of names. All further names, and names that are too
 * long, share one value: a peer that chooses names cannot fill the memory. Thread-safe.
 */
public final class PerName<V> {
  /** The maximum number of characters of a name with its own value. */
  public static final int LENGTH = 200;

  private final Map<String, V> values = new ConcurrentHashMap<>();
  private final int max;
  private final Function<String, V> maker;
  private final V others;

  /**
   * Creates an empty table.
   *
   * @param max the maximum number of names with their own value
   * @param maker makes the value of a name
   * @param others the value of all other names
   */
  public PerName(int max, Function<String, V> maker, V others) {
    this.max = max;
    this.maker = maker;
    this.others = others;
  }

  /** Returns the value of a name, which is added if there is room. */
  public V of(String name) {
    V present = values.get(name);
    if (present != null) {
      return present;
    }
    if (name.length() > LENGTH || values.size() >= max) {
      return known(name);
    }
    synchronized (this) { // for the exact limit
      return values.size() < max ? values.computeIfAbsent(name, maker) : known(name);
    }
  }

  /** Returns the value of a name that was added before, or the shared value. */
  public V known(String name) {
    return values.getOrDefault(name, others);
  }
}
